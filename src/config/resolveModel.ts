import { knownModel } from '../catalog/known.ts'
import type { KnownModel } from '../catalog/knownModel.ts'
import { ASSUMED_TOKENS_PER_SECOND, type Model, type Target, UNKNOWN_IMAGE_TOKENS } from '../core/model.ts'
import { checkCapabilities } from './checkCapabilities.ts'
import { checkCosts } from './checkCosts.ts'
import { ASSUMED_OUTPUT_TOKENS } from './catalogModels.ts'
import { checkRequestFields } from './checkFields.ts'
import type { ModelContext, ModelSurroundings } from './modelContext.ts'
import type { ConfigPath } from './problem.ts'
import { reportLacking } from './reportLacking.ts'
import { resolveOfficial, resolveOurPrice } from './resolveModelPrices.ts'
import { knownTarget, resolveTargets } from './resolveTargets.ts'
import type { ModelEntry } from './schema.ts'
import { warnOfSnapshot } from './warnOfSnapshot.ts'

/** A model of the file, completed by what the catalogue knows of it. Undefined when that is not enough. */
export function resolveModel(
  entry: ModelEntry,
  path: ConfigPath,
  surroundings: ModelSurroundings,
): Model | undefined {
  const known = knownModel(entry.id)
  const gone =
    (entry.retired !== undefined && entry.retired.at <= surroundings.now) ||
    // Nobody knows since when it is.
    !surroundings.report.isRead([...path, 'retired'])
  const context: ModelContext = { ...surroundings, entry, path, known, gone }

  const targets = resolveTargets(context)
  // A name of one's own for a known model needs no further words.
  const catalogued = known ?? (targets[0] && knownTarget(targets[0], context))
  const ownedBy = entry.owned_by ?? known?.provider ?? ownerOf(entry.id, targets)
  reportLacking(context, catalogued, targets)
  warnOfSnapshot(context, catalogued)
  const officialPrice = resolveOfficial(context, catalogued, ownedBy)
  const prices = resolveOurPrice(context, catalogued)
  const limits = resolveLimits(context, catalogued)
  checkDeprecation(context)
  checkRequestFields(entry.unsupported_fields, [...path, 'unsupported_fields'], surroundings.report)
  checkCapabilities(context)
  if (prices) checkCosts(context, prices)
  if (prices === undefined || limits === undefined) return undefined

  const hiddenReasoning = entry.hidden_reasoning ?? catalogued?.hiddenReasoning ?? 'never'
  return {
    id: entry.id,
    displayName: entry.display_name ?? known?.displayName ?? entry.id,
    ownedBy: ownedBy.toLowerCase(),
    category: entry.category ?? 'chat',
    created: entry.created === undefined ? (known?.created ?? 0) : Math.floor(entry.created / 1000),
    ...limits,
    assumedTokensPerSecond: entry.assumed_tokens_per_second ?? ASSUMED_TOKENS_PER_SECOND,
    imageTokens: entry.image_tokens ?? catalogued?.imageTokens ?? UNKNOWN_IMAGE_TOKENS,
    ...(hiddenReasoning !== 'never' && { hiddenReasoning }),
    capabilities: entry.capabilities ?? catalogued?.capabilities ?? ['streaming'],
    prices,
    targets,
    strategy: entry.strategy,
    aliases: entry.aliases ?? aliasesOf(entry.id, known),
    ...refusedFields(entry, catalogued),
    ...(officialPrice && { officialPrice }),
    ...endOf(entry),
  }
}

/** The file's list takes the place of all that is known. */
function refusedFields(
  { unsupported_fields: given }: ModelEntry,
  catalogued: KnownModel | undefined,
): Pick<Model, 'unsupportedFields' | 'unsupportedWhileReasoning'> {
  if (given !== undefined || catalogued === undefined) return { unsupportedFields: given ?? [] }
  const { unsupportedFields, unsupportedWhileReasoning } = catalogued
  return { unsupportedFields, ...(unsupportedWhileReasoning && { unsupportedWhileReasoning }) }
}

type Limits = Pick<Model, 'contextLength' | 'maxOutputTokens' | 'assumedOutputTokens'>

function resolveLimits(
  { entry, path, gone, report }: ModelContext,
  catalogued: KnownModel | undefined,
): Limits | undefined {
  // Of a model that is gone nobody asks for anything: 1 is as good as any.
  const fallback = gone ? 1 : undefined
  const contextLength = entry.context_length ?? catalogued?.contextLength ?? fallback
  const maxOutputTokens = entry.max_output_tokens ?? catalogued?.maxOutputTokens ?? fallback
  if (contextLength === undefined || maxOutputTokens === undefined) return undefined

  const assumed = entry.assumed_output_tokens ?? Math.min(ASSUMED_OUTPUT_TOKENS, maxOutputTokens)
  // What stands in the place of an unread limit is not what the file compares.
  const isRead = (limit: string) => report.isRead([...path, limit])
  if (maxOutputTokens > contextLength && isRead('context_length') && isRead('max_output_tokens'))
    report.problem([...path, 'max_output_tokens'], `must not be above context_length (${contextLength})`)
  if (assumed > maxOutputTokens && isRead('max_output_tokens'))
    report.problem(
      [...path, 'assumed_output_tokens'],
      `must not be above max_output_tokens (${maxOutputTokens})`,
    )
  return { contextLength, maxOutputTokens, assumedOutputTokens: assumed }
}

function checkDeprecation({ entry: { deprecated }, path, report }: ModelContext): void {
  if (deprecated?.sunset !== undefined && deprecated.sunset <= deprecated.at)
    report.problem([...path, 'deprecated', 'sunset'], 'must be after the date it is deprecated at')
}

function endOf({ deprecated, retired }: ModelEntry): Pick<Model, 'deprecation' | 'retirement'> {
  return {
    ...(deprecated && {
      deprecation: {
        at: deprecated.at,
        ...(deprecated.sunset !== undefined && { sunset: deprecated.sunset }),
      },
    }),
    ...(retired && {
      retirement: {
        at: retired.at,
        ...(retired.successor !== undefined && { successor: retired.successor }),
      },
    }),
  }
}

/** What stands before the first slash, or who serves it. */
function ownerOf(id: string, targets: readonly Target[]): string {
  const slash = id.indexOf('/')
  return slash > 0 ? id.slice(0, slash) : (targets[0]?.provider ?? id)
}

function aliasesOf(id: string, known: KnownModel | undefined): readonly string[] {
  return known ? [known.id, ...known.aliases].filter((name) => name !== id) : []
}
