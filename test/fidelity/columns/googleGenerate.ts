import type { JsonObject } from '../../../src/core/json.ts'
import { type Column, type Piece, type Report, errorAnswer, frame } from '../column.ts'

/** https://ai.google.dev/api/generate-content: each frame is a partial response, and the end of the body is the last event. */
export const googleColumn: Column = {
  words: { stop: 'STOP', length: 'MAX_TOKENS', tool_calls: 'STOP', content_filter: 'SAFETY' },
  reports: { cached: true, thoughts: true },
  toolCallId: /./,
  frames: ({ pieces, finish, report }) => ({
    begin: [],
    pieces: pieces.map((piece) => frame(response([piece], undefined))),
    end: [frame({ ...response([], finish), usageMetadata: usageOf(report) })],
    last: [],
  }),
  body: ({ pieces, finish, report }) => ({ ...response(pieces, finish), usageMetadata: usageOf(report) }),
  errorFrame: frame({ error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }),
  limitFrame: (message) => frame({ error: { code: 429, message, status: 'RESOURCE_EXHAUSTED' } }),
  failureFrame: (message) => frame({ error: { code: 500, message, status: 'INTERNAL' } }),
  // https://ai.google.dev/api/errors
  error: (status, message) =>
    errorAnswer(status, { error: { code: status, message, status: STATUSES[status] ?? 'INTERNAL' } }),
  promptFrame: (prompt, cached) =>
    frame({
      ...response([{ text: '' }], undefined),
      usageMetadata: {
        promptTokenCount: prompt,
        cachedContentTokenCount: cached,
        totalTokenCount: prompt,
      },
    }),
  choiceFrame: (index, text) =>
    frame({ candidates: [{ index, content: { role: 'model', parts: [{ text }] } }] }),
}

const STATUSES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  405: 'UNIMPLEMENTED',
  413: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
}

function response(pieces: readonly Piece[], finish: string | undefined): JsonObject {
  const content = { role: 'model', parts: pieces.map(partOf) }
  return {
    candidates: [{ index: 0, content, ...(finish !== undefined && { finishReason: finish }) }],
    responseId: 'r1',
    modelVersion: 'm',
  }
}

function partOf(piece: Piece): JsonObject {
  if ('text' in piece) return { text: piece.text }
  if ('thought' in piece) return { text: piece.thought, thought: true }
  const { id, name, input } = piece.call
  return { functionCall: { ...(id !== undefined && { id }), name, args: input } }
}

function usageOf({ prompt, cached, completion, thoughts }: Report): JsonObject {
  return {
    promptTokenCount: prompt,
    cachedContentTokenCount: cached,
    candidatesTokenCount: completion - thoughts,
    thoughtsTokenCount: thoughts,
    totalTokenCount: prompt + completion,
  }
}
