import {
  PROMPT_TOKENS,
  type StreamAnswer,
  WHOLE_TOKENS,
  chunkText,
  inPieces,
  respond,
  wholeText,
} from './answers.ts'
import type { MockSpec } from './spec.ts'

const USAGE = (output: number) => ({
  input_tokens: PROMPT_TOKENS,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: output,
})

/** The answers of Anthropic's Messages. */
function message(content: readonly object[], stopReason: string | null, output: number): object {
  return {
    id: 'msg_mock',
    type: 'message',
    role: 'assistant',
    model: 'mock',
    content,
    stop_reason: stopReason,
    stop_sequence: null,
    usage: USAGE(output),
  }
}

export function wholeMessage(spec: MockSpec): Buffer {
  const content = [{ type: 'text', text: wholeText(spec) }]
  const body = message(content, 'end_turn', spec.tokens || WHOLE_TOKENS)
  return respond('200 OK', 'application/json', JSON.stringify(body))
}

export function streamMessage(spec: MockSpec): StreamAnswer {
  const start =
    event('message_start', JSON.stringify({ type: 'message_start', message: message([], null, 1) })) +
    named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } })
  const text = chunkText(spec)
  const content = named({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text },
  })
  const end =
    named({ type: 'content_block_stop', index: 0 }) +
    named({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: spec.tokens || spec.chunks },
    }) +
    named({ type: 'message_stop' })
  return inPieces(start, content, spec.chunks, end)
}

function named(data: { readonly type: string; readonly [field: string]: unknown }): string {
  return event(data.type, JSON.stringify(data))
}

function event(name: string, data: string): string {
  return `event: ${name}\ndata: ${data}\n\n`
}
