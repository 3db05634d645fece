import type { JsonObject } from '../../../src/core/json.ts'
import { type Column, type Piece, errorAnswer, frame } from '../column.ts'
import { callsBefore, joined, openaiCall, openaiUsage } from './openaiChat.ts'

/** https://docs.mistral.ai/api: thoughts are items of the content, and the last chunk reports. */
export const mistralColumn: Column = {
  words: { stop: 'stop', length: 'length', tool_calls: 'tool_calls', content_filter: 'content_filter' },
  reports: { cached: true, thoughts: true },
  toolCallId: /^[a-zA-Z0-9]{9}$/,
  frames: ({ pieces, finish, report }) => ({
    begin: [chunk({ role: 'assistant', content: '' })],
    pieces: pieces.map((piece, index) => chunk(deltaOf(piece, callsBefore(pieces, index)))),
    end: [chunk({ content: '' }, finish ?? null, { usage: openaiUsage(report) })],
    last: [frame('[DONE]')],
  }),
  body: ({ pieces, finish, report }) => ({
    id: 'c1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: messageOf(pieces), finish_reason: finish ?? null }],
    usage: openaiUsage(report),
  }),
  errorFrame: frame({ object: 'error', message: 'Overloaded.', type: 'service_unavailable', code: 3505 }),
  limitFrame: (message) => frame({ object: 'error', message, type: 'rate_limited', code: '1300' }),
  failureFrame: (message) => frame({ object: 'error', message, type: 'internal_server_error', code: '1000' }),
  // https://docs.mistral.ai/resources/error-glossary
  error: (status, message) =>
    errorAnswer(status, { object: 'error', message, type: 'invalid_request_error', param: null, code: null }),
  promptFrame: (prompt, cached) =>
    chunk({ role: 'assistant', content: '' }, null, {
      usage: openaiUsage({ prompt, cached, completion: 0, thoughts: 0 }),
    }),
  choiceFrame: (index, text) =>
    frame({ ...IDENTITY, choices: [{ index, delta: { content: text }, finish_reason: null }] }),
}

const IDENTITY = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm' }

function chunk(delta: JsonObject, finish: string | null = null, more: JsonObject = {}) {
  return frame({ ...IDENTITY, choices: [{ index: 0, delta, finish_reason: finish }], ...more })
}

function thinking(thought: string): JsonObject {
  return { type: 'thinking', thinking: [{ type: 'text', text: thought }] }
}

function deltaOf(piece: Piece, ordinal: number): JsonObject {
  if ('text' in piece) return { content: piece.text }
  if ('thought' in piece) return { content: [thinking(piece.thought)] }
  return { content: '', tool_calls: [{ index: ordinal, ...openaiCall(piece) }] }
}

function messageOf(pieces: readonly Piece[]): JsonObject {
  const calls = pieces.filter((piece) => 'call' in piece).map(openaiCall)
  const thought = joined(pieces, 'thought')
  const text = joined(pieces, 'text') ?? ''
  return {
    role: 'assistant',
    content: thought === null ? text : [thinking(thought), { type: 'text', text }],
    tool_calls: calls.length > 0 ? calls : null,
  }
}
