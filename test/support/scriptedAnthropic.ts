import type { JsonObject } from '../../src/core/json.ts'

/** The bytes of Anthropic's Messages, as a scripted provider sends them. */

export function anthropicMessage(content: readonly JsonObject[], more: JsonObject = {}): JsonObject {
  return {
    id: 'msg_upstream',
    type: 'message',
    role: 'assistant',
    model: 'upstream-claude',
    content,
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: {
      input_tokens: 40,
      cache_read_input_tokens: 60,
      cache_creation_input_tokens: 0,
      output_tokens: 40,
    },
    ...more,
  }
}

/** One event, named as its type. */
export function anthropicEvent(event: JsonObject & { readonly type: string }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

export function messageStart(more: JsonObject = {}): string {
  const usage = {
    input_tokens: 40,
    cache_read_input_tokens: 60,
    cache_creation_input_tokens: 0,
    output_tokens: 1,
  }
  const message = anthropicMessage([], { stop_reason: null, usage, ...more })
  return anthropicEvent({ type: 'message_start', message })
}

export function blockStart(index: number, block: JsonObject): string {
  return anthropicEvent({ type: 'content_block_start', index, content_block: block })
}

export function blockDelta(index: number, delta: JsonObject): string {
  return anthropicEvent({ type: 'content_block_delta', index, delta })
}

export function blockStop(index: number): string {
  return anthropicEvent({ type: 'content_block_stop', index })
}

export function messageDelta(stopReason: string, usage: JsonObject = { output_tokens: 40 }): string {
  return anthropicEvent({
    type: 'message_delta',
    delta: { stop_reason: stopReason, stop_sequence: null },
    usage,
  })
}

export const MESSAGE_STOP = anthropicEvent({ type: 'message_stop' })

/** A whole stream with one block of text in so many pieces. */
export function textStream(...pieces: readonly string[]): readonly string[] {
  return [
    messageStart(),
    blockStart(0, { type: 'text', text: '' }),
    ...pieces.map((text) => blockDelta(0, { type: 'text_delta', text })),
    blockStop(0),
    messageDelta('end_turn'),
    MESSAGE_STOP,
  ]
}
