import type { JsonObject } from '../../src/core/json.ts'
import { encodeSseData } from '../../src/wire/sse.ts'
import { responsesFrame, responsesFrames } from './responsesFrames.ts'

/** The bytes of OpenAI's Responses, as a scripted provider sends them. */

export function upstreamResponse(output: readonly JsonObject[], more: JsonObject = {}): JsonObject {
  return {
    id: 'resp_upstream',
    object: 'response',
    created_at: 1_795_000_000,
    model: 'upstream-gpt',
    status: 'completed',
    error: null,
    incomplete_details: null,
    store: false,
    output,
    usage: {
      total_tokens: 140,
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 60 },
      output_tokens: 40,
      output_tokens_details: { reasoning_tokens: 0 },
    },
    ...more,
  }
}

export function upstreamText(text: string): JsonObject {
  return {
    id: 'msg_upstream',
    type: 'message',
    status: 'completed',
    role: 'assistant',
    phase: 'final_answer',
    content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
  }
}

/** The events of a stream that ends with this response. */
export function responseStream(response: JsonObject): string[] {
  return responsesFrames(response).map(({ event, data }) => encodeSseData(data, event))
}

/** One event, named as its type. */
export function responseEvent(event: JsonObject): string {
  const frame = responsesFrame(event)
  return encodeSseData(frame.data, frame.event)
}
