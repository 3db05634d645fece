import type { JsonObject } from '../../../src/core/json.ts'
import type { Frame } from '../../../src/core/answer/frame.ts'
import { type Column, type Piece, type Report, errorAnswer, frame } from '../column.ts'
import { callsBefore, openaiCall } from './openaiChat.ts'

/** https://docs.cohere.com/v2/docs/streaming */
export const cohereColumn: Column = {
  words: { stop: 'COMPLETE', length: 'MAX_TOKENS', tool_calls: 'TOOL_CALL', content_filter: undefined },
  reports: { cached: true, thoughts: true },
  toolCallId: /./,
  frames: ({ pieces, finish, report }) => ({
    begin: [event('message-start', { id: 'c1', delta: { message: { role: 'assistant' } } })],
    pieces: pieces.flatMap((piece, index) => said(piece, index, callsBefore(pieces, index))),
    end: [],
    last: [
      event('message-end', {
        delta: { ...(finish !== undefined && { finish_reason: finish }), usage: usageOf(report) },
      }),
    ],
  }),
  body: ({ pieces, finish, report }) => {
    const calls = pieces.filter((piece) => 'call' in piece).map(openaiCall)
    const content = pieces.flatMap((piece) => ('call' in piece ? [] : [contentOf(piece)]))
    return {
      id: 'c1',
      ...(finish !== undefined && { finish_reason: finish }),
      message: { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) },
      usage: usageOf(report),
    }
  },
  errorFrame: event('message-end', { delta: { finish_reason: 'ERROR', error: 'Overloaded.' } }),
  limitFrame: (error) => event('message-end', { delta: { finish_reason: 'ERROR', error } }),
  failureFrame: (error) => event('message-end', { delta: { finish_reason: 'ERROR', error } }),
  // https://docs.cohere.com/reference/errors
  error: (status, message) => errorAnswer(status, { id: 'e1', message }),
  promptFrame: undefined,
  choiceFrame: undefined,
}

function event(type: string, more: JsonObject): Frame {
  return frame({ type, ...more }, type)
}

function said(piece: Piece, index: number, ordinal: number): Frame[] {
  if ('call' in piece) {
    const call = openaiCall(piece)
    return [
      event('tool-call-start', { index: ordinal, delta: { message: { tool_calls: call } } }),
      event('tool-call-end', { index: ordinal }),
    ]
  }
  const content = contentOf(piece)
  return [
    event('content-start', { index, delta: { message: { content: { type: content['type'] ?? null } } } }),
    event('content-delta', { index, delta: { message: { content } } }),
    event('content-end', { index }),
  ]
}

function contentOf(piece: Exclude<Piece, { call: unknown }>): JsonObject {
  return 'text' in piece ? { type: 'text', text: piece.text } : { type: 'thinking', thinking: piece.thought }
}

/** Where nothing is billed by tokens, the tokens count. */
function usageOf({ prompt, cached, completion, thoughts }: Report): JsonObject {
  return {
    tokens: { input_tokens: prompt, output_tokens: completion, reasoning_tokens: thoughts },
    cached_tokens: cached,
  }
}
