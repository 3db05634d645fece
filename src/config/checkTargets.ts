import { didYouMean } from '../core/didYouMean.ts'
import type { ModelSurroundings } from './modelContext.ts'
import { quotedName } from './values.ts'
import { isTreeMap } from './yamlTree.ts'

/** Each target must name a provider of the file. Works on the file as written, so that other mistakes of a model hide none. */
export function checkTargets(
  entries: readonly unknown[],
  { providers, report }: Pick<ModelSurroundings, 'providers' | 'report'>,
): void {
  entries.forEach((entry, index) => {
    const targets = isTreeMap(entry) ? entry.targets : undefined
    if (!Array.isArray(targets)) return
    targets.forEach((target: unknown, position) => {
      const provider = isTreeMap(target) ? target.provider : undefined
      if (typeof provider !== 'string' || provider === '' || providers.has(provider)) return
      const guess = didYouMean(provider, providers.keys())
      report.problem(
        ['models', index, 'targets', position, 'provider'],
        `is not a provider of this file: ${quotedName(provider)}${guess}`,
      )
    })
  })
}
