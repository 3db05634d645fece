import type { JsonObject } from '../../../src/core/json.ts'
import type { Frame } from '../../../src/core/answer/frame.ts'
import { type Column, type Piece, type Report, errorAnswer, frame } from '../column.ts'

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html */
export const bedrockColumn: Column = {
  words: {
    stop: 'end_turn',
    length: 'max_tokens',
    tool_calls: 'tool_use',
    content_filter: 'content_filtered',
  },
  reports: { cached: true, thoughts: false },
  toolCallId: /^[a-zA-Z0-9_-]{1,64}$/,
  frames: ({ pieces, finish, report }) => ({
    begin: [frame({ role: 'assistant' }, 'messageStart')],
    pieces: pieces.flatMap(block),
    end: [frame(finish === undefined ? {} : { stopReason: finish }, 'messageStop')],
    last: [frame({ usage: usageOf(report), metrics: { latencyMs: 1 } }, 'metadata')],
  }),
  body: ({ pieces, finish, report }) => ({
    output: { message: { role: 'assistant', content: pieces.map(contentOf) } },
    ...(finish !== undefined && { stopReason: finish }),
    usage: usageOf(report),
    metrics: { latencyMs: 1 },
  }),
  errorFrame: frame({ message: 'Too many requests are in flight.' }, 'serviceUnavailableException'),
  limitFrame: (message) => frame({ message }, 'throttlingException'),
  failureFrame: (message) => frame({ message }, 'modelStreamErrorException'),
  // https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
  error: (status, message) =>
    errorAnswer(status, { message }, { 'x-amzn-errortype': EXCEPTIONS[status] ?? 'InternalServerException' }),
  promptFrame: undefined,
  choiceFrame: undefined,
}

const EXCEPTIONS: Readonly<Record<number, string>> = {
  400: 'ValidationException',
  405: 'UnknownOperationException',
  413: 'RequestEntityTooLargeException',
  429: 'ThrottlingException',
}

function block(piece: Piece, index: number): Frame[] {
  const at = { contentBlockIndex: index }
  const start = 'call' in piece ? [frame({ ...at, start: startOf(piece) }, 'contentBlockStart')] : []
  return [
    ...start,
    frame({ ...at, delta: deltaOf(piece) }, 'contentBlockDelta'),
    frame(at, 'contentBlockStop'),
  ]
}

function startOf({ call: { id, name } }: Extract<Piece, { call: unknown }>): JsonObject {
  return { toolUse: { ...(id !== undefined && { toolUseId: id }), name } }
}

function deltaOf(piece: Piece): JsonObject {
  if ('text' in piece) return { text: piece.text }
  if ('thought' in piece) return { reasoningContent: { text: piece.thought } }
  return { toolUse: { input: JSON.stringify(piece.call.input) } }
}

function contentOf(piece: Piece): JsonObject {
  if ('text' in piece) return { text: piece.text }
  if ('thought' in piece) return { reasoningContent: { reasoningText: { text: piece.thought } } }
  const { id, name, input } = piece.call
  return { toolUse: { ...(id !== undefined && { toolUseId: id }), name, input } }
}

function usageOf({ prompt, cached, completion }: Report): JsonObject {
  return {
    inputTokens: prompt - cached,
    cacheReadInputTokens: cached,
    outputTokens: completion,
    totalTokens: prompt + completion,
  }
}
