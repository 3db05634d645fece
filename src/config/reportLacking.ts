import type { KnownModel } from '../catalog/knownModel.ts'
import type { Target } from '../core/model.ts'
import { lackingOf } from './lacking.ts'
import { misspeltOf } from './misspelt.ts'
import type { ModelContext } from './modelContext.ts'
import { listWords, quotedName } from './values.ts'

/** Names what a model lacks. That the catalogue does not know it is one mistake, however much the model lacks. */
export function reportLacking(
  context: ModelContext,
  catalogued: KnownModel | undefined,
  targets: readonly Target[],
): void {
  const { entry, path, report } = context
  const lacking = lackingOf(context, catalogued)
  const [first, ...more] = lacking
  if (first === undefined || !areTargetsRight(context, targets)) return
  const needs = `one of your own needs ${listWords(lacking, 'and')}`
  const misspelt = catalogued === undefined ? misspeltOf(context, targets[0]) : undefined
  if (misspelt) {
    const { mistake, also } = misspelt
    const isTold = report.problems.some((problem) => also.includes(problem.path))
    const elsewhere = also.length === 0 ? '' : `, as at ${also.join(' and ')}`
    if (!isTold) report.problem(misspelt.path, `is not ${mistake}${elsewhere}; ${needs}`)
  } else if (more.length > 0)
    report.problem([...path, 'id'], `is not a known model: ${quotedName(entry.id)}; ${needs}`)
  else if (first === 'official_price') reportUnpriced(context)
  else report.problem([...path, first], 'is missing')
}

/** Where a target has a mistake of its own, it is not known which model it is, and what that lacks. */
function areTargetsRight({ entry, path, report }: ModelContext, targets: readonly Target[]): boolean {
  return report.isRead([...path, 'targets']) && targets.length >= (entry.targets?.length ?? 0)
}

function reportUnpriced({ entry, path, report }: ModelContext): void {
  const { our_price: ours, official_price: official } = entry
  if (official === 'auto')
    return report.problem(
      [...path, 'official_price'],
      'cannot be `auto`: the price catalogue has no such model',
    )
  const word = ours !== undefined && 'markup' in ours && ours.markup < 0n ? 'discount' : 'markup'
  report.problem(
    [...path, 'our_price'],
    `is a ${word} without an official price to apply it to: set official_price, or write input and output instead`,
  )
}
