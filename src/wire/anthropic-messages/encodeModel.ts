import type { JsonObject } from '../../core/json.ts'
import type { Model } from '../../core/model.ts'

/**
 * A model in the words of Anthropic: `ModelInfo` of its SDK for TypeScript, version 1.11. What the catalogue does not know is
 * null where the type allows it.
 *
 * @param at milliseconds since the epoch: decides whether the model is deprecated
 */
export function encodeModel(model: Model, at: number): JsonObject {
  return {
    type: 'model',
    id: model.id,
    display_name: model.displayName,
    created_at: rfc3339(model.created * 1000),
    max_input_tokens: model.contextLength,
    max_tokens: model.maxOutputTokens,
    capabilities: null,
    line: null,
    ...lifecycleOf(model, at),
  }
}

/** A page of models, as `Page` of the SDK reads it. */
export function encodeModelPage(models: readonly Model[], hasMore: boolean, at: number): JsonObject {
  return {
    data: models.map((model) => encodeModel(model, at)),
    first_id: models[0]?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
    has_more: hasMore,
  }
}

/** There, a model that has a date of retirement is deprecated. */
function lifecycleOf({ deprecation, retirement }: Model, at: number): JsonObject {
  const since = deprecation && deprecation.at <= at ? deprecation.at : undefined
  const until = retirement?.at ?? deprecation?.sunset
  return {
    lifecycle: since === undefined && until === undefined ? 'active' : 'deprecated',
    deprecated_at: since === undefined ? null : rfc3339(since),
    retires_at: until === undefined ? null : rfc3339(until),
  }
}

/** Without fractions of a second. */
function rfc3339(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z')
}
