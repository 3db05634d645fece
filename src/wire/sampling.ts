import type { ChatRequest } from '../core/chat/request.ts'
import type { RequestFields } from './requestFields.ts'
import { type EncodeTarget, UnsupportedField } from './wire.ts'

/** The temperature to send: the caller's, or 1 where the provider's own default differs, within its range. */
export function temperatureFor(
  request: ChatRequest,
  { quirks }: EncodeTarget,
  fields: RequestFields,
  format: { maximum: number; sendDefault?: boolean },
): number | undefined {
  // A default of ours that the target refuses was never asked for: nothing is dropped.
  const sendDefault =
    !fields.refuses('temperature') && (quirks.sendDefaultTemperature ?? format.sendDefault ?? false)
  const wanted = request.temperature ?? (sendDefault ? 1 : undefined)
  if (wanted === undefined) return undefined
  const least = Math.max(wanted, quirks.minimumTemperature ?? 0)
  return fields.optional('temperature', Math.min(least, quirks.maximumTemperature ?? format.maximum))
}

/** The nucleus to send: the caller's, or the least that the provider takes. */
export function topPFor(
  { topP }: ChatRequest,
  { quirks }: EncodeTarget,
  fields: RequestFields,
  formatMinimum = 0,
): number | undefined {
  return topP === undefined
    ? undefined
    : fields.optional('top_p', Math.max(topP, quirks.minimumTopP ?? formatMinimum))
}

/** The stop sequences to send; throws `UnsupportedField` where they are more than the provider takes. */
export function stopFor(
  { stop }: ChatRequest,
  { quirks }: EncodeTarget,
  formatMaximum: number,
): readonly string[] | undefined {
  const maximum = quirks.maximumStops ?? formatMaximum
  if (stop === undefined || stop.length <= maximum) return stop
  throw new UnsupportedField('stop', `This model takes at most ${maximum} stop sequences.`)
}

/** The output limit to send: never above what the model can do, which is all that a caller without one asks for. */
export function maxTokensFor(request: ChatRequest, target: EncodeTarget): number | undefined {
  return request.maxTokens === undefined ? undefined : Math.min(request.maxTokens, target.maxOutputTokens)
}

/** The seed to send: one that the provider does not take is left out. */
export function seedFor(
  { seed }: ChatRequest,
  fields: RequestFields,
  { least, most }: { readonly least: bigint; readonly most: bigint },
): ChatRequest['seed'] {
  if (seed === undefined) return undefined
  const value = BigInt(typeof seed === 'number' ? seed : seed.rawJSON)
  if (value >= least && value <= most) return fields.optional('seed', seed)
  return fields.drop({ seed })
}

/** For formats without log probabilities. */
export function refuseLogprobs(request: ChatRequest): void {
  if (request.logprobs === true) {
    throw new UnsupportedField('logprobs', 'This model does not report log probabilities.')
  }
  if ((request.topLogprobs ?? 0) > 0) {
    throw new UnsupportedField('top_logprobs', 'This model does not report log probabilities.')
  }
}

/** Notes the extra fields that the format has no place for. */
export function dropExtras(request: ChatRequest, fields: RequestFields, taken: readonly string[] = []): void {
  fields.drop(Object.fromEntries(Object.entries(request.extra).filter(([field]) => !taken.includes(field))))
}
