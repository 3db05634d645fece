import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { type Json, type JsonObject, isJsonObject } from '../../../src/core/json.ts'
import {
  type Act,
  type Frame,
  cutAfter,
  openaiChunk,
  openaiCompletion,
  openaiUsage,
  openaiUsageChunk,
  respond,
  sse,
  stream,
} from '../../support/scriptedProvider.ts'
import type { Field, Greed, Reply, Told } from './greed.ts'
import type { Receipts } from './receipts.ts'

/** Text that looks like a special token is text. */
const OPTIONS = { disallowedSpecial: new Set<string>() }
/** What of a request is no part of its prompt. */
const NO_PROMPT: ReadonlySet<string> = new Set([
  'model',
  'user',
  'stream',
  'stream_options',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'n',
])
const WORD_OF_ONE_TOKEN = 'a'
const counts = new Map<string, number>()

/** Tokens of a text as o200k counts them. */
export function tokensOf(text: string): number {
  let count = counts.get(text)
  if (count === undefined) counts.set(text, (count = countTokens(text, OPTIONS)))
  return count
}

/** A prompt as a model reads it: all JSON that was sent, without the base64 of media. */
export function promptTextOf(body: JsonObject): string {
  const read = Object.fromEntries(Object.entries(body).filter(([name]) => !NO_PROMPT.has(name)))
  return JSON.stringify(read, (_, value: Json) =>
    typeof value === 'string' && value.startsWith('data:') ? '' : value,
  )
}

/**
 * Answers a call as its script says, and notes what was done and reported.
 *
 * @param receipts what its caller has received: no piece is sent before the one before it has arrived there
 */
export function replyTo({ model, reply }: Greed, told: Told[], receipts?: Receipts): Act {
  return {
    async play(turn) {
      const body = isJsonObject(turn.request?.body) ? turn.request.body : {}
      const n = numberOf(body['n']) ?? 1
      const limit = numberOf(body['max_tokens']) ?? numberOf(body['max_completion_tokens'])
      const most = Math.min(limit ?? model.maxOutputTokens, model.maxOutputTokens)
      const thinks = Math.min(reply.thinks ?? 0, reply.obeys ? most - 1 : Number.POSITIVE_INFINITY)
      const { pieces, tokens, largest, isCut } = piecesWithin(
        reply,
        reply.obeys ? most - thinks : Number.POSITIVE_INFINITY,
      )
      const promptTokens = Math.min(
        countTokens(promptTextOf(body), OPTIONS) + (reply.mediaTokens ?? 0),
        model.contextLength,
      )
      const completionTokens = (thinks + tokens) * n
      const truth = openaiUsage(
        promptTokens,
        completionTokens,
        thinks > 0 ? { completion_tokens_details: { reasoning_tokens: thinks * n } } : {},
      )
      const usage = reply.reports ? reply.reports(truth) : truth
      const first = told.length === 0
      const streamed = body['stream'] === true && !reply.whole
      told.push({
        promptTokens,
        completionTokens,
        shownTokens: tokens * n,
        pieceTokens: streamed && receipts ? largest : tokens * n,
        limitTokens: limit === undefined ? undefined : limit * n,
        usage,
      })
      const field = reply.field ?? 'content'
      const finishReason = isCut ? 'length' : FINISHES[field]
      const act = streamed
        ? stream(framesOf(pieces, n, reply.framesEach ?? 1, field, finishReason, usage, receipts))
        : respond({ body: wholeOf(pieces.join(''), n, field, finishReason, usage) })
      const { breaks } = reply
      if (breaks && (first || breaks.again)) return cutAfter(breaks.bytes, act, breaks.how).play(turn)
      return act.play(turn)
    },
  }
}

const FINISHES: Readonly<Record<Field, string>> = {
  content: 'stop',
  arguments: 'tool_calls',
  custom: 'tool_calls',
  function_call: 'function_call',
  reasoning_details: 'stop',
}

/** As many pieces as the reply is long and the limit allows. */
function piecesWithin({ words, tokens: wanted, wordsEach, framesEach = 1, whole }: Reply, limit: number) {
  const pieces: string[] = []
  let tokens = 0
  let largest = 0
  let isCut = false
  for (let at = 0; tokens < wanted && words.length > 0; at += wordsEach) {
    let piece = ''
    for (let i = 0; i < wordsEach; i++) piece += words[(at + i) % words.length] ?? ''
    const more = tokensOf(piece)
    if (tokens + more > limit) {
      isCut = true
      break
    }
    pieces.push(piece)
    tokens += more
    largest = Math.max(largest, more * framesEach)
  }
  // An answer of nothing is none.
  if (isCut && pieces.length === 0) return { pieces: [WORD_OF_ONE_TOKEN], tokens: 1, largest: 1, isCut }
  return { pieces, tokens, largest: whole ? tokens : largest, isCut }
}

function framesOf(
  pieces: readonly string[],
  n: number,
  framesEach: number,
  field: Field,
  finishReason: string,
  usage: Told['usage'],
  receipts: Receipts | undefined,
): Frame[] {
  const indexes = Array.from({ length: n }, (_, index) => index)
  const deltas = pieces.flatMap((piece, at) =>
    indexes.map((index) => sse(openaiChunk(deltaOf(piece, field, at === 0), { index }))),
  )
  const frames: Frame[] = indexes.map((index) => openaiChunk({ role: 'assistant', content: '' }, { index }))
  for (let at = 0; at < deltas.length; at += framesEach) {
    const written = deltas.slice(at, at + framesEach)
    frames.push(written.join(''))
    if (receipts) frames.push(receipts.wait(written.length))
  }
  frames.push(...indexes.map((index) => openaiChunk({}, { index, finishReason })))
  if (usage) frames.push(openaiUsageChunk(usage))
  return [...frames, sse('[DONE]')]
}

function deltaOf(text: string, field: Field, first: boolean): JsonObject {
  switch (field) {
    case 'content':
      return { content: text }
    case 'arguments': {
      const name = first ? { name: 'save' } : {}
      return {
        tool_calls: [{ index: 0, ...(first && START), function: { ...name, arguments: text } }],
      }
    }
    case 'custom': {
      const start = first ? { id: 'call_1', type: 'custom' } : {}
      return {
        tool_calls: [{ index: 0, ...start, custom: { ...(first && { name: 'patch' }), input: text } }],
      }
    }
    case 'function_call':
      return { function_call: { ...(first && { name: 'save' }), arguments: text } }
    case 'reasoning_details':
      return { reasoning_details: [{ type: 'reasoning.text', text, index: 0 }] }
  }
}

const START = { id: 'call_1', type: 'function' }

function wholeOf(
  text: string,
  n: number,
  field: Field,
  finishReason: string,
  usage: Told['usage'],
): JsonObject {
  const answer = openaiCompletion(
    Array<string>(n).fill(field === 'content' || field === 'reasoning_details' ? text : ''),
    {
      finishReason,
      usage,
    },
  )
  if (field === 'content' || field === 'reasoning_details') return answer
  const said = deltaOf(text, field, true)
  const choices = (answer['choices'] as JsonObject[]).map((choice) => ({
    ...choice,
    message: { ...(choice['message'] as JsonObject), ...said },
  }))
  return { ...answer, choices }
}

function numberOf(value: Json | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined
}
