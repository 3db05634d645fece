import type { JsonObject } from '../../../src/core/json.ts'
import type { Frame } from '../../../src/core/answer/frame.ts'
import { type Column, type Piece, type Report, errorAnswer, frame } from '../column.ts'

/** https://platform.claude.com/docs/en/build-with-claude/streaming */
export const anthropicColumn: Column = {
  words: { stop: 'end_turn', length: 'max_tokens', tool_calls: 'tool_use', content_filter: 'refusal' },
  reports: { cached: true, thoughts: true },
  toolCallId: /^[a-zA-Z0-9_-]{1,64}$/,
  frames: ({ pieces, finish, report }) => ({
    begin: [messageStart(report.prompt, report.cached)],
    pieces: pieces.flatMap(block),
    end: [
      event('message_delta', {
        delta: { stop_reason: finish ?? null, stop_sequence: null },
        usage: usageOf(report),
      }),
    ],
    last: [event('message_stop', {})],
  }),
  body: ({ pieces, finish, report }) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: pieces.map(contentOf),
    stop_reason: finish ?? null,
    stop_sequence: null,
    usage: usageOf(report),
  }),
  errorFrame: event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } }),
  limitFrame: (message) => event('error', { error: { type: 'rate_limit_error', message } }),
  failureFrame: (message) => event('error', { error: { type: 'api_error', message } }),
  // https://platform.claude.com/docs/en/api/errors
  error: (status, message) =>
    errorAnswer(status, { type: 'error', error: { type: ERROR_TYPES[status] ?? 'api_error', message } }),
  promptFrame: messageStart,
  choiceFrame: undefined,
}

/** https://platform.claude.com/docs/en/api/errors */
const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  405: 'invalid_request_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
}

function event(type: string, more: JsonObject): Frame {
  return frame({ type, ...more }, type)
}

function messageStart(prompt: number, cached: number): Frame {
  const usage = { input_tokens: prompt - cached, cache_read_input_tokens: cached, output_tokens: 1 }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage }
  return event('message_start', { message })
}

function block(piece: Piece, index: number): Frame[] {
  return [
    event('content_block_start', { index, content_block: emptyOf(piece) }),
    event('content_block_delta', { index, delta: deltaOf(piece) }),
    event('content_block_stop', { index }),
  ]
}

function emptyOf(piece: Piece): JsonObject {
  if ('text' in piece) return { type: 'text', text: '' }
  if ('thought' in piece) return { type: 'thinking', thinking: '', signature: '' }
  return { ...contentOf(piece), input: {} }
}

function deltaOf(piece: Piece): JsonObject {
  if ('text' in piece) return { type: 'text_delta', text: piece.text }
  if ('thought' in piece) return { type: 'thinking_delta', thinking: piece.thought }
  return { type: 'input_json_delta', partial_json: JSON.stringify(piece.call.input) }
}

function contentOf(piece: Piece): JsonObject {
  if ('text' in piece) return { type: 'text', text: piece.text }
  if ('thought' in piece) return { type: 'thinking', thinking: piece.thought, signature: '' }
  const { id, name, input } = piece.call
  return { type: 'tool_use', ...(id !== undefined && { id }), name, input }
}

function usageOf({ prompt, cached, completion, thoughts }: Report): JsonObject {
  return {
    input_tokens: prompt - cached,
    cache_read_input_tokens: cached,
    output_tokens: completion,
    output_tokens_details: { thinking_tokens: thoughts },
  }
}
