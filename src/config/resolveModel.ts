import { knownModel, knownModelAt, KNOWN_MODELS } from '../catalog/known.ts'
import type { KnownModel } from '../catalog/knownModel.ts'
import type { Model, OfficialPrice, Target } from '../core/model.ts'
import { ZERO } from '../core/money.ts'
import { priceAt, type PriceSchedule } from '../core/price.ts'
import type { ConfiguredProvider } from '../providers/configured.ts'
import type { ConfigPath } from './problem.ts'
import type { Report } from './report.ts'
import { markUp, officialPriceOf, resolveSchedule } from './resolvePrices.ts'
import type { ModelEntry } from './schema.ts'
import { didYouMean } from './values.ts'

/** Output tokens that a hold assumes when neither the caller nor the configuration says. */
const ASSUMED_OUTPUT_TOKENS = 512

/** What a model of the file is resolved against. */
export interface ModelSurroundings {
  /** Undefined for a provider that is in the file but has mistakes of its own. */
  readonly providers: ReadonlyMap<string, ConfiguredProvider | undefined>
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** A model of the file, completed by what the catalogue knows of it. Undefined when that is not enough. */
export function resolveModel(
  entry: ModelEntry,
  path: ConfigPath,
  { providers, now }: ModelSurroundings,
  report: Report,
): Model | undefined {
  const known = knownModel(entry.id)
  const retirement = entry.retired && {
    at: entry.retired.at,
    ...(entry.retired.successor === undefined ? {} : { successor: entry.retired.successor }),
  }
  if (entry.deprecated?.sunset !== undefined && entry.deprecated.sunset <= entry.deprecated.at)
    report.problem([...path, 'deprecated', 'sunset'], 'must be after the date it is deprecated at')
  // A retired model is kept for its name only: it needs neither price nor place.
  const gone = retirement !== undefined && retirement.at <= now

  const targets = resolveTargets(entry, known, path, providers, gone, now, report)
  const catalogued = known ?? knownTarget(targets, providers)
  const contextLength = entry.context_length ?? catalogued?.contextLength ?? (gone ? 1 : undefined)
  const maxOutputTokens = entry.max_output_tokens ?? catalogued?.maxOutputTokens ?? (gone ? 1 : undefined)
  const ownedBy = entry.owned_by ?? known?.provider ?? ownerOf(entry.id, targets)
  const official = resolveOfficial(entry, catalogued, ownedBy, now, path, report)
  const prices = resolveOurPrice(entry, catalogued, official, path, report) ?? (gone ? FREE : undefined)

  if (contextLength === undefined) report.problem([...path, 'context_length'], missing(entry.id))
  if (maxOutputTokens === undefined) report.problem([...path, 'max_output_tokens'], missing(entry.id))
  if (contextLength === undefined || maxOutputTokens === undefined || prices === undefined) return undefined
  if (maxOutputTokens > contextLength)
    report.problem([...path, 'max_output_tokens'], `must not be above context_length (${contextLength})`)
  const assumed = entry.assumed_output_tokens
  if (assumed !== undefined && assumed > maxOutputTokens)
    report.problem(
      [...path, 'assumed_output_tokens'],
      `must not be above max_output_tokens (${maxOutputTokens})`,
    )

  return {
    id: entry.id,
    displayName: entry.display_name ?? known?.displayName ?? entry.id,
    ownedBy: ownedBy.toLowerCase(),
    category: entry.category ?? 'chat',
    created: entry.created === undefined ? (known?.created ?? 0) : Math.floor(entry.created / 1000),
    contextLength,
    maxOutputTokens,
    assumedOutputTokens: assumed ?? Math.min(ASSUMED_OUTPUT_TOKENS, maxOutputTokens),
    capabilities: entry.capabilities ?? catalogued?.capabilities ?? ['streaming'],
    prices,
    ...(official === undefined ? {} : { officialPrice: official }),
    targets,
    strategy: entry.strategy,
    aliases: entry.aliases ?? aliasesOf(entry.id, known),
    ...(entry.deprecated === undefined
      ? {}
      : {
          deprecation: {
            at: entry.deprecated.at,
            ...(entry.deprecated.sunset === undefined ? {} : { sunset: entry.deprecated.sunset }),
          },
        }),
    ...(retirement === undefined ? {} : { retirement }),
    unsupportedFields: entry.unsupported_fields ?? catalogued?.unsupportedFields ?? [],
  }
}

/** A known model as it stands in the catalogue, served by the provider of that name. */
export function modelOfCatalog(known: KnownModel, provider: string, now: number): Model | undefined {
  const { officialPrices } = known
  if (officialPrices === undefined) return undefined
  return {
    id: known.id,
    displayName: known.displayName,
    ownedBy: known.provider,
    category: 'chat',
    created: known.created,
    contextLength: known.contextLength,
    maxOutputTokens: known.maxOutputTokens,
    assumedOutputTokens: Math.min(ASSUMED_OUTPUT_TOKENS, known.maxOutputTokens),
    capabilities: known.capabilities,
    prices: officialPrices,
    officialPrice: officialPriceOf(officialPrices, known.provider, now),
    targets: [{ provider, upstreamModel: known.upstreamModel, weight: 1, priority: 0 }],
    strategy: 'priority',
    aliases: known.aliases,
    unsupportedFields: known.unsupportedFields,
  }
}

const FREE: PriceSchedule = [{ input: ZERO, output: ZERO }]

function resolveTargets(
  entry: ModelEntry,
  known: KnownModel | undefined,
  path: ConfigPath,
  providers: ReadonlyMap<string, ConfiguredProvider | undefined>,
  gone: boolean,
  now: number,
  report: Report,
): Target[] {
  if (entry.targets === undefined) {
    if (known && providers.has(known.provider))
      return [{ provider: known.provider, upstreamModel: known.upstreamModel, weight: 1, priority: 0 }]
    if (!gone && known)
      report.problem([...path, 'id'], `is served by "${known.provider}", which is not among the providers`)
    else if (!gone) report.problem([...path, 'targets'], missing(entry.id))
    return []
  }
  if (entry.targets.length === 0 && !gone) report.problem([...path, 'targets'], 'must not be empty')
  return entry.targets.flatMap((target, index): Target[] => {
    if (!providers.has(target.provider)) {
      report.problem(
        [...path, 'targets', index, 'provider'],
        `names no provider of this file: ${JSON.stringify(target.provider)}${didYouMean(target.provider, providers.keys())}`,
      )
      return []
    }
    const listed = knownModelAt(
      providers.get(target.provider)?.provider.id ?? '',
      target.model,
    )?.officialPrices
    const cost = target.cost ?? (listed && priceAt(listed, now))
    if (cost === undefined && entry.strategy === 'cheapest')
      report.problem([...path, 'targets', index, 'cost'], 'is missing: the strategy "cheapest" compares it')
    return [
      {
        provider: target.provider,
        upstreamModel: target.model,
        weight: target.weight,
        priority: target.priority,
        ...(cost === undefined ? {} : { cost: { input: cost.input, output: cost.output } }),
      },
    ]
  })
}

/** The known model behind the first target: a name of one's own for it needs no further words. */
function knownTarget(
  targets: readonly Target[],
  providers: ReadonlyMap<string, ConfiguredProvider | undefined>,
): KnownModel | undefined {
  const [first] = targets
  const row = first && providers.get(first.provider)?.provider.id
  return row === undefined ? undefined : knownModelAt(row, first?.upstreamModel ?? '')
}

function ownerOf(id: string, targets: readonly Target[]): string {
  const [first = '', ...rest] = id.split('/')
  return rest.length > 0 ? first : (targets[0]?.provider ?? id)
}

function resolveOfficial(
  entry: ModelEntry,
  catalogued: KnownModel | undefined,
  ownedBy: string,
  now: number,
  path: ConfigPath,
  report: Report,
): OfficialPrice | undefined {
  const given = entry.official_price
  if (given !== undefined && given !== 'auto')
    return { input: given.input, output: given.output, source: (given.source ?? ownedBy).toLowerCase() }
  const listed = catalogued?.officialPrices
  if (listed) return officialPriceOf(listed, catalogued.provider, now)
  if (given === 'auto')
    report.problem([...path, 'official_price'], 'cannot be `auto`: the price catalogue has no such model')
  return undefined
}

function resolveOurPrice(
  entry: ModelEntry,
  catalogued: KnownModel | undefined,
  official: OfficialPrice | undefined,
  path: ConfigPath,
  report: Report,
): PriceSchedule | undefined {
  const at = [...path, 'our_price']
  const given = entry.our_price
  if (given && 'prices' in given) return resolveSchedule(given.prices, at, report)
  const listed: PriceSchedule | undefined =
    entry.official_price !== undefined && entry.official_price !== 'auto' && official
      ? [{ input: official.input, output: official.output }]
      : catalogued?.officialPrices
  if (listed && given) return markUp(listed, given.markup)
  if (listed && entry.official_price === undefined) return listed
  if (listed && entry.official_price === 'auto') return listed
  if (given)
    report.problem(at, 'needs an official price to reckon from: the catalogue has none for this model')
  else if (entry.retired === undefined) report.problem(at, missing(entry.id))
  return undefined
}

function aliasesOf(id: string, known: KnownModel | undefined): readonly string[] {
  if (!known) return []
  return [known.id, ...known.aliases].filter((name) => name !== id)
}

function missing(id: string): string {
  const guess = didYouMean(
    id,
    KNOWN_MODELS.map((model) => model.id),
  )
  return guess === '' ? 'is missing' : `is missing: the catalogue has no model ${JSON.stringify(id)}${guess}`
}
