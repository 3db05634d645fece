import { type Json, type JsonObject, isJsonObject } from '../../core/json.ts'
import { readServiceTier } from '../serviceTier.ts'
import { staysInside } from '../staysInside.ts'

/**
 * The top-level fields of an answer or a chunk that OpenAI's interface has beside those of ours; undefined
 * when there are none. Whatever else a provider says there stays inside.
 */
export function extraFields(body: JsonObject): JsonObject | undefined {
  const { system_fingerprint: fingerprint, obfuscation, moderation } = body
  const tier = readServiceTier(body.service_tier)
  let extra: Record<string, Json> | undefined
  if (typeof fingerprint === 'string') extra = { system_fingerprint: fingerprint }
  if (tier !== undefined) (extra ??= {}).service_tier = tier
  if (typeof obfuscation === 'string') (extra ??= {}).obfuscation = obfuscation
  if (isJsonObject(moderation)) (extra ??= {}).moderation = moderation
  return extra
}

/** The fields of a choice that no field of ours models; undefined when there are none. */
export function choiceFields(choice: JsonObject): JsonObject | undefined {
  let extra: Record<string, Json> | undefined
  for (const name in choice) {
    switch (name) {
      case 'index':
      case 'delta':
      case 'message':
      case 'finish_reason':
      case 'logprobs':
      // Moonshot's last choice: read as the answer's.
      case 'usage':
      case '__proto__':
        continue
      default: {
        const value = choice[name]
        if (value === undefined || value === null || staysInside(name, value)) continue
        extra ??= {}
        extra[name] = value
      }
    }
  }
  return extra
}
