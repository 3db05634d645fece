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
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: PROMPT_TOKENS + output,
})

/** The answers of OpenAI's Responses. */
function response(status: string, output: readonly object[], tokens: number | undefined): object {
  return {
    id: 'resp_mock',
    object: 'response',
    created_at: 1_760_000_000,
    status,
    model: 'mock',
    error: null,
    incomplete_details: null,
    output,
    usage: tokens === undefined ? null : USAGE(tokens),
  }
}

function message(status: string, content: readonly object[]): object {
  return { id: 'msg_mock', type: 'message', status, role: 'assistant', content }
}

function textPart(text: string): object {
  return { type: 'output_text', annotations: [], logprobs: [], text }
}

export function wholeResponse(spec: MockSpec): Buffer {
  const output = [message('completed', [textPart(wholeText(spec))])]
  const body = response('completed', output, spec.tokens || WHOLE_TOKENS)
  return respond('200 OK', 'application/json', JSON.stringify(body))
}

const AT = { item_id: 'msg_mock', output_index: 0 }
const PART_AT = { ...AT, content_index: 0 }

export function streamResponse(spec: MockSpec): StreamAnswer {
  const text = chunkText(spec)
  const whole = message('completed', [textPart(text.repeat(spec.chunks))])
  const start =
    event('response.created', { response: response('in_progress', [], undefined) }) +
    event('response.in_progress', { response: response('in_progress', [], undefined) }) +
    event('response.output_item.added', { output_index: 0, item: message('in_progress', []) }) +
    event('response.content_part.added', { ...PART_AT, part: textPart('') })
  const content = event('response.output_text.delta', { ...PART_AT, logprobs: [], delta: text })
  const end =
    event('response.output_text.done', { ...PART_AT, logprobs: [], text: text.repeat(spec.chunks) }) +
    event('response.content_part.done', { ...PART_AT, part: textPart(text.repeat(spec.chunks)) }) +
    event('response.output_item.done', { output_index: 0, item: whole }) +
    event('response.completed', {
      response: response('completed', [whole], spec.tokens || spec.chunks),
    })
  return inPieces(start, content, spec.chunks, end)
}

/** The numbers of the events are not looked at by who reads them here. */
function event(type: string, more: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: 0, ...more })}\n\n`
}
