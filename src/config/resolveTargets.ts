import { knownModelAt } from '../catalog/known.ts'
import type { KnownModel } from '../catalog/knownModel.ts'
import type { Target } from '../core/model.ts'
import { priceAt } from '../core/price.ts'
import { nearestWord } from '../core/didYouMean.ts'
import type { ModelContext, ModelSurroundings } from './modelContext.ts'
import type { TargetEntry } from './schema.ts'
import { targetFacts } from './targetFacts.ts'

/** Where a model is served: as the file says, or at its own provider when it is a known one. */
export function resolveTargets(context: ModelContext): Target[] {
  const { entry, path, gone, report } = context
  if (!report.isRead([...path, 'targets'])) return []
  if (entry.targets === undefined) return ownTarget(context)
  if (entry.targets.length === 0 && !gone) report.problem([...path, 'targets'], 'must not be empty')
  return entry.targets.flatMap((target, index) => resolveTarget(target, index, context))
}

/** The known model behind a target, by the provider's row and the exact name there. */
export function knownTarget(
  { provider, upstreamModel }: Pick<Target, 'provider' | 'upstreamModel'>,
  { providers }: ModelContext,
): KnownModel | undefined {
  return knownModelAt(providers.get(provider)?.provider.id ?? provider, upstreamModel)
}

/** The place of a known model: its own provider. */
export function knownModelTarget(
  { provider, upstreamModel }: KnownModel,
  providers: ModelSurroundings['providers'],
): Target {
  const place = { provider, upstreamModel }
  return { ...place, ...targetFacts(place, providers), weight: 1, priority: 0 }
}

function ownTarget({ path, known, gone, providers, report }: ModelContext): Target[] {
  if (known && providers.has(known.provider)) return [knownModelTarget(known, providers)]
  if (known && !gone)
    report.problem([...path, 'id'], `is served by "${known.provider}", which is not among the providers`)
  return []
}

function resolveTarget(written: TargetEntry, index: number, context: ModelContext): Target[] {
  const { entry, path, providers, now, report } = context
  const at = [...path, 'targets', index]
  // `checkTargets` names a provider that is not there. What else is wrong is looked for at the one that was meant.
  const provider = providers.has(written.provider)
    ? written.provider
    : nearestWord(written.provider, providers.keys())
  if (provider === undefined) return []
  const place = { provider, upstreamModel: written.model }
  const listed = knownTarget(place, context)?.officialPrices
  const cost = written.cost ?? (listed && priceAt(listed, now))
  if (cost === undefined && entry.strategy === 'cheapest')
    report.problem([...at, 'cost'], 'is missing: the strategy "cheapest" compares it')
  return [
    {
      ...place,
      ...targetFacts(place, providers, written.wire),
      weight: written.weight,
      priority: written.priority,
      ...(cost === undefined ? {} : { cost: { input: cost.input, output: cost.output } }),
    },
  ]
}
