import type { JsonObject } from '../../../src/core/json.ts'
import { type Column, type Piece, type Report, errorAnswer, frame } from '../column.ts'

/** https://platform.openai.com/docs/api-reference/chat-streaming */
export const openaiColumn: Column = {
  words: { stop: 'stop', length: 'length', tool_calls: 'tool_calls', content_filter: 'content_filter' },
  reports: { cached: true, thoughts: true },
  sendsAsWritten: true,
  toolCallId: /^.{1,40}$/,
  frames: ({ pieces, finish, report }) => ({
    begin: [chunk({ role: 'assistant', content: '' })],
    pieces: pieces.map((piece, index) => chunk(deltaOf(piece, callsBefore(pieces, index)))),
    end: [
      ...(finish === undefined ? [] : [chunk({}, finish)]),
      frame({ ...IDENTITY, choices: [], usage: openaiUsage(report) }),
    ],
    last: [frame('[DONE]')],
  }),
  body: ({ pieces, finish, report }) => ({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: messageOf(pieces), finish_reason: finish ?? null }],
    usage: openaiUsage(report),
  }),
  errorFrame: frame({ error: { message: 'Overloaded.', type: 'server_error', code: 'overloaded' } }),
  limitFrame: (message) => frame({ error: { message, type: 'tokens', code: 'rate_limit_exceeded' } }),
  failureFrame: (message) => frame({ error: { message, type: 'server_error', code: null } }),
  // https://platform.openai.com/docs/guides/error-codes
  error: (status, message) =>
    errorAnswer(status, { error: { message, type: 'invalid_request_error', param: null, code: null } }),
  promptFrame: (prompt, cached) =>
    frame({
      ...IDENTITY,
      choices: [],
      usage: openaiUsage({ prompt, cached, completion: 0, thoughts: 0 }),
    }),
  choiceFrame: (index, text) =>
    frame({ ...IDENTITY, choices: [{ index, delta: { content: text }, finish_reason: null }] }),
}

const IDENTITY = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' }

function chunk(delta: JsonObject, finish: string | null = null) {
  return frame({ ...IDENTITY, choices: [{ index: 0, delta, finish_reason: finish }] })
}

function deltaOf(piece: Piece, ordinal: number): JsonObject {
  if ('text' in piece) return { content: piece.text }
  if ('thought' in piece) return { reasoning_content: piece.thought }
  return { tool_calls: [{ index: ordinal, ...openaiCall(piece) }] }
}

export function openaiCall({ call: { id, name, input } }: Extract<Piece, { call: unknown }>): JsonObject {
  return {
    ...(id !== undefined && { id }),
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }
}

function messageOf(pieces: readonly Piece[]): JsonObject {
  const calls = pieces.filter((piece) => 'call' in piece).map(openaiCall)
  return {
    role: 'assistant',
    content: joined(pieces, 'text'),
    reasoning_content: joined(pieces, 'thought'),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

/** All texts, or all thoughts; null: there are none. */
export function joined(pieces: readonly Piece[], of: 'text' | 'thought'): string | null {
  const texts = pieces.flatMap((piece) => {
    if (of === 'text') return 'text' in piece ? [piece.text] : []
    return 'thought' in piece ? [piece.thought] : []
  })
  return texts.length === 0 ? null : texts.join('')
}

/** How many calls come before this piece. */
export function callsBefore(pieces: readonly Piece[], index: number): number {
  return pieces.slice(0, index).filter((piece) => 'call' in piece).length
}

export function openaiUsage({ prompt, cached, completion, thoughts }: Report): JsonObject {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: thoughts },
  }
}
