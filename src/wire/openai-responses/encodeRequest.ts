import type { ChatRequest } from '../../core/chat/request.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { dropMessageFields } from '../droppedMessageFields.ts'
import { refusePrefill } from '../lastTurn.ts'
import { withoutLegacyFunctions } from '../legacyFunctions.ts'
import { compact, readObject } from '../read.ts'
import { refuseForeignExtras, type RequestFields, requestFields } from '../requestFields.ts'
import { responseFormatFor, schemaFor } from '../responseFormat.ts'
import { dropExtras, maxTokensFor, temperatureFor, topPFor } from '../sampling.ts'
import { fitToolCallIds, responsesId } from '../toolCallIds.ts'
import { type EncodedRequest, type EncodeTarget, UnsupportedField } from '../wire.ts'
import { encodeInput } from './encodeInput.ts'
import { reasoningItems } from './encodeReasoning.ts'
import { encodeToolFields } from './encodeTools.ts'

export const TEMPERATURE_MAX = 2
/** "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16": earendil-works/pi#6265. */
export const OUTPUT_TOKENS_MIN = 16

/** Extra fields that have the same name and the same values here. */
const SAME_EXTRAS = [
  'metadata',
  'moderation',
  'prompt_cache_options',
  'prompt_cache_retention',
  'safety_identifier',
  'service_tier',
]
const OTHER_EXTRAS = ['store', 'stream_options', 'verbosity']

/** One choice: several are parallel calls of the gateway. The provider stores nothing, so reasoning comes back encrypted. */
export function encodeRequest(request: ChatRequest, target: EncodeTarget): EncodedRequest {
  const fields = requestFields(target)
  refuseForeignExtras(request.extra)
  refusePrefill(request.messages, target.facts)
  fields.drop({
    frequency_penalty: request.frequencyPenalty,
    presence_penalty: request.presencePenalty,
    seed: request.seed,
  })
  dropExtras(request, fields, [...SAME_EXTRAS, ...OTHER_EXTRAS])

  const effort = fields.optional('reasoning_effort', request.reasoningEffort)
  const reasons = target.hiddenReasoning !== undefined || effort !== undefined
  dropMessages(request, fields, reasons)
  const messages = fitToolCallIds(withoutLegacyFunctions(request.messages), responsesId)
  const input = encodeInput(messages, fields, reasons)
  refuseStop(request)

  const body = compact({
    model: target.upstreamModel,
    input,
    stream: request.stream || undefined,
    stream_options: streamOptions(request, fields),
    store: storesNothing(request, fields),
    include: include(request, fields, reasons),
    max_output_tokens: fields.essential('max_completion_tokens', outputLimit(request, target)),
    temperature: temperatureFor(request, target, fields, { maximum: TEMPERATURE_MAX }),
    top_p: topPFor(request, target, fields),
    top_logprobs: fields.essential('top_logprobs', request.topLogprobs, request.logprobs === true),
    ...encodeToolFields(request, fields),
    text: encodeText(request, target, fields),
    reasoning: effort === undefined ? undefined : { effort },
    user: fields.optional('user', request.user),
    prompt_cache_key: fields.optional('prompt_cache_key', request.promptCacheKey),
    ...sameExtras(request, fields),
  })
  return { path: '/responses', headers: {}, body, dropped: fields.dropped }
}

/** The format has no stop sequences, and an answer that goes on behind one is another answer. */
function refuseStop({ stop }: ChatRequest): void {
  if (stop !== undefined) throw new UnsupportedField('stop', 'This model does not support `stop`.')
}

function dropMessages({ messages }: ChatRequest, fields: RequestFields, reasons: boolean): void {
  const replayed = new Set(
    messages.flatMap((message) => reasoningItems(message, reasons).flatMap(({ details }) => details)),
  )
  dropMessageFields(messages, fields, {
    imageDetail: true,
    filename: true,
    refusalBesideContent: true,
    reasoningDetail: (detail) => replayed.has(detail),
  })
}

/** The format has no limit of the number of tokens below `OUTPUT_TOKENS_MIN`. */
export function outputLimit(request: ChatRequest, target: EncodeTarget): number | undefined {
  const most = maxTokensFor(request, target)
  return most === undefined ? undefined : Math.max(most, OUTPUT_TOKENS_MIN)
}

function storesNothing({ extra }: ChatRequest, fields: RequestFields): false {
  if (extra.store === true) fields.drop({ store: true })
  return false
}

/** Usage comes with every stream here: it is not asked for. */
function streamOptions({ stream, extra }: ChatRequest, fields: RequestFields): JsonObject | undefined {
  const options = readObject(extra.stream_options)
  const pads = options?.include_obfuscation
  if (!stream || pads === undefined) return fields.drop({ stream_options: options })
  return fields.optional('stream_options', { include_obfuscation: pads })
}

function include(
  { logprobs }: ChatRequest,
  fields: RequestFields,
  reasons: boolean,
): readonly string[] | undefined {
  const asked = [
    ...(reasons ? ['reasoning.encrypted_content'] : []),
    ...(fields.essential('logprobs', logprobs, logprobs === true) === true
      ? ['message.output_text.logprobs']
      : []),
  ]
  return asked.length > 0 ? asked : undefined
}

/** `strict` is always written: absent it is true here, and false in chat completions. */
function encodeText(
  request: ChatRequest,
  target: EncodeTarget,
  fields: RequestFields,
): JsonObject | undefined {
  const { responseFormat: given, extra } = request
  const asked = given && { responseFormat: schemaFor(given, target.facts) }
  const format = responseFormatFor({ ...request, ...asked }, target, fields)
  const text = compact({
    format:
      format === 'json'
        ? { type: 'json_object' }
        : format && compact({ type: 'json_schema', ...format, strict: format.strict ?? false }),
    verbosity: fields.optional('verbosity', extra.verbosity),
  })
  return Object.keys(text).length > 0 ? text : undefined
}

function sameExtras({ extra }: ChatRequest, fields: RequestFields): Record<string, Json | undefined> {
  return Object.fromEntries(SAME_EXTRAS.map((name) => [name, fields.optional(name, extra[name])]))
}
