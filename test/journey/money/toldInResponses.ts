import type { JsonObject } from '../../../src/core/json.ts'
import { type Script, openaiError, respond, sse, stream } from '../../support/scriptedProvider.ts'
import { AT_ONE_TIME, type Reported, type Told, isStreamed } from './told.ts'

const IDENTITY = { id: 'resp_1', object: 'response', created_at: 1, model: 'm' }

/** The words of the format for an answer that is not whole. */
const REASONS = {
  stop: undefined,
  length: 'max_output_tokens',
  content_filter: 'content_filter',
  malformed_function_call: 'malformed_function_call',
} as const

export function toldInResponses(told: Told): Script {
  return ({ body }) => {
    if (!isStreamed(body)) {
      if (told.breaks === 'error') return openaiError(500)
      return told.breaks ?? respond({ body: responseOf(told) })
    }
    const said = [
      event('response.created', { response: { ...responseOf(told), status: 'in_progress', output: [] } }),
      ...outputOf(told).flatMap((item, place) => lifeOf(item, place, told.texts)),
    ]
    if (told.breaks === 'error')
      return stream([
        ...said,
        event('response.failed', {
          response: { ...IDENTITY, status: 'failed', error: { code: 'server_error', message: 'Oh.' } },
        }),
      ])
    if (told.breaks) return stream([...said, told.breaks])
    const response = responseOf(told)
    return stream([...said, event(`response.${response['status'] as string}`, { response })], AT_ONE_TIME)
  }
}

function event(type: string, more: JsonObject): string {
  return sse({ type, ...more }, { event: type })
}

function responseOf(told: Told): JsonObject {
  const reason = REASONS[told.finish]
  return {
    ...IDENTITY,
    status: reason === undefined ? 'completed' : 'incomplete',
    incomplete_details: reason === undefined ? null : { reason },
    output: outputOf(told),
    usage: told.usage === undefined ? null : usageOf(told.usage),
  }
}

function outputOf({ texts, thought }: Told): JsonObject[] {
  const content = [{ type: 'output_text', text: texts.join(''), annotations: [] }]
  const message = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content }
  if (thought === undefined) return [message]
  return [{ id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: thought }] }, message]
}

/** The events of an item up to the last piece of its text; a thought comes whole, at its end. */
function lifeOf(item: JsonObject, place: number, texts: readonly string[]): string[] {
  const at = { output_index: place }
  if (item['type'] === 'reasoning') return [event('response.output_item.done', { ...at, item })]
  const piece = { ...at, item_id: item['id'] ?? null, content_index: 0 }
  return [
    event('response.output_item.added', { ...at, item: { ...item, status: 'in_progress', content: [] } }),
    ...texts.map((delta) => event('response.output_text.delta', { ...piece, delta })),
  ]
}

function usageOf({ prompt, cached = 0, written = 0, completion, thoughts = 0 }: Reported): JsonObject {
  return {
    input_tokens: prompt,
    input_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
    output_tokens: completion,
    output_tokens_details: { reasoning_tokens: thoughts },
    total_tokens: prompt + completion,
  }
}
