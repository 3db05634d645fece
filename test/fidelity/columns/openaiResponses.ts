import type { JsonObject } from '../../../src/core/json.ts'
import type { Frame } from '../../../src/core/answer/frame.ts'
import { type Column, type Piece, type Report, type Said, errorAnswer, frame } from '../column.ts'

const IDENTITY = { id: 'resp_1', object: 'response', created_at: 1, model: 'm' }

/** https://platform.openai.com/docs/api-reference/responses-streaming */
export const responsesColumn: Column = {
  words: {
    stop: 'completed',
    length: 'max_output_tokens',
    tool_calls: undefined,
    content_filter: 'content_filter',
  },
  reports: { cached: true, thoughts: true },
  sendsAsWritten: true,
  thoughts: 'openai-responses-v1',
  toolCallId: /^.{1,64}$/,
  frames: (said) => ({
    begin: [event('response.created', { response: responseOf({ ...said, pieces: [] }, 'in_progress') })],
    pieces: said.pieces.flatMap(lifeOf),
    end: [],
    last: [event(endOf(said), { response: responseOf(said) })],
  }),
  body: (said) => responseOf(said),
  errorFrame: failedFrame('server_is_overloaded', 'Overloaded.'),
  limitFrame: (message) => failedFrame('rate_limit_exceeded', message),
  failureFrame: (message) => failedFrame('server_error', message),
  // https://platform.openai.com/docs/guides/error-codes
  error: (status, message) =>
    errorAnswer(status, { error: { message, type: 'invalid_request_error', param: null, code: null } }),
  promptFrame: undefined,
  choiceFrame: undefined,
}

function event(type: string, more: JsonObject): Frame {
  return frame({ type, ...more }, type)
}

function failedFrame(code: string, message: string): Frame {
  return event('response.failed', {
    response: { ...IDENTITY, status: 'failed', error: { code, message }, output: [] },
  })
}

function endOf({ finish }: Said): string {
  return isWhole(finish) ? 'response.completed' : 'response.incomplete'
}

/** Only an answer that was cut has a reason beside its status. */
function isWhole(finish: string | undefined): boolean {
  return finish === undefined || finish === 'completed'
}

function responseOf(
  { pieces, finish, report }: Said,
  status = isWhole(finish) ? 'completed' : 'incomplete',
): JsonObject {
  return {
    ...IDENTITY,
    status,
    error: null,
    incomplete_details: isWhole(finish) ? null : { reason: finish ?? null },
    output: pieces.map(itemOf),
    usage: status === 'in_progress' ? null : usageOf(report),
  }
}

function itemOf(piece: Piece, index: number): JsonObject {
  if ('text' in piece)
    return {
      id: `msg_${index}`,
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: piece.text, annotations: [] }],
    }
  if ('thought' in piece)
    return { id: `rs_${index}`, type: 'reasoning', summary: [{ type: 'summary_text', text: piece.thought }] }
  const { id, name, input } = piece.call
  return {
    id: `fc_${index}`,
    type: 'function_call',
    status: 'completed',
    ...(id !== undefined && { call_id: id }),
    name,
    arguments: JSON.stringify(input),
  }
}

/** From its beginning to its end. */
function lifeOf(piece: Piece, index: number): Frame[] {
  const item = itemOf(piece, index)
  const place = { item_id: item['id'] as string, output_index: index }
  return [
    event('response.output_item.added', { output_index: index, item: { ...item, ...emptyOf(piece) } }),
    ...piecesOf(piece, place),
    event('response.output_item.done', { output_index: index, item }),
  ]
}

function emptyOf(piece: Piece): JsonObject {
  if ('text' in piece) return { content: [], status: 'in_progress' }
  if ('thought' in piece) return { summary: [] }
  return { arguments: '', status: 'in_progress' }
}

function piecesOf(piece: Piece, place: JsonObject): Frame[] {
  if ('text' in piece) {
    const at = { ...place, content_index: 0 }
    const part = { type: 'output_text', annotations: [] }
    return [
      event('response.content_part.added', { ...at, part: { ...part, text: '' } }),
      event('response.output_text.delta', { ...at, delta: piece.text }),
      event('response.output_text.done', { ...at, text: piece.text }),
      event('response.content_part.done', { ...at, part: { ...part, text: piece.text } }),
    ]
  }
  if ('thought' in piece) {
    const at = { ...place, summary_index: 0 }
    return [
      event('response.reasoning_summary_part.added', { ...at, part: { type: 'summary_text', text: '' } }),
      event('response.reasoning_summary_text.delta', { ...at, delta: piece.thought }),
      event('response.reasoning_summary_text.done', { ...at, text: piece.thought }),
    ]
  }
  const text = JSON.stringify(piece.call.input)
  return [
    event('response.function_call_arguments.delta', { ...place, delta: text }),
    event('response.function_call_arguments.done', { ...place, arguments: text }),
  ]
}

function usageOf({ prompt, cached, completion, thoughts }: Report): JsonObject {
  return {
    input_tokens: prompt,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: completion,
    output_tokens_details: { reasoning_tokens: thoughts },
    total_tokens: prompt + completion,
  }
}
