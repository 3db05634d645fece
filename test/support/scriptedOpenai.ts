import { isJsonObject, type JsonObject } from '../../src/core/json.ts'
import { type Act, type Frame, type StreamOptions, isAct, respond, sse, stream } from './scriptedActs.ts'

export interface OpenaiUsage extends JsonObject {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
}

/** The usage that scripted answers report unless told otherwise. */
export const SCRIPTED_USAGE = openaiUsage(9, 12)

export function openaiUsage(
  promptTokens: number,
  completionTokens: number,
  details: JsonObject = {},
): OpenaiUsage {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    ...details,
  }
}

const IDENTITY = { id: 'chatcmpl-scripted', created: 1_700_000_000, model: 'upstream-chat-1' }

/** One `chat.completion.chunk` of one choice. `more` adds or replaces top-level fields. */
export function openaiChunk(
  delta: JsonObject,
  options: {
    readonly index?: number
    readonly finishReason?: string | null
    readonly more?: JsonObject
  } = {},
): JsonObject {
  const { index = 0, finishReason = null, more } = options
  return {
    ...IDENTITY,
    object: 'chat.completion.chunk',
    choices: [{ index, delta, logprobs: null, finish_reason: finishReason }],
    ...more,
  }
}

/** The chunk without choices that carries the usage. */
export function openaiUsageChunk(usage: OpenaiUsage = SCRIPTED_USAGE): JsonObject {
  return { ...IDENTITY, object: 'chat.completion.chunk', choices: [], usage }
}

/** A whole `chat.completion`: one text per choice. */
export function openaiCompletion(
  texts: string | readonly string[],
  options: {
    readonly finishReason?: string
    readonly usage?: OpenaiUsage | null
    readonly more?: JsonObject
  } = {},
): JsonObject {
  const { finishReason = 'stop', usage = SCRIPTED_USAGE, more } = options
  const choices = (typeof texts === 'string' ? [texts] : texts).map((content, index) => ({
    index,
    message: { role: 'assistant', content, refusal: null },
    logprobs: null,
    finish_reason: finishReason,
  }))
  return { ...IDENTITY, object: 'chat.completion', choices, ...(usage && { usage }), ...more }
}

/** OpenAI's error body with a status. */
export function openaiError(
  status: number,
  error: {
    readonly message?: string
    readonly type?: string
    readonly code?: string | null
    readonly param?: string | null
  } = {},
  headers: Readonly<Record<string, string>> = {},
): Act {
  const { message = 'scripted failure', type = 'scripted_error', code = null, param = null } = error
  return respond({ status, headers, body: { error: { message, type, code, param } } })
}

export interface AnswerOptions extends StreamOptions {
  /** Text fragments, and acts played between them. */
  readonly pieces: readonly (string | Act)[]
  readonly finishReason?: string
  /** Null: reports none. */
  readonly usage?: OpenaiUsage | null
}

/**
 * Answers as OpenAI does: streamed or whole as the request says, `n` choices, a usage chunk only
 * with `stream_options.include_usage`. A whole answer joins the text pieces after playing the acts.
 */
export function answers(options: AnswerOptions): Act {
  return {
    async play(turn) {
      const body = isJsonObject(turn.request?.body) ? turn.request.body : {}
      const count = typeof body['n'] === 'number' ? body['n'] : 1
      if (body['stream'] === true) return stream(streamedFrames(options, body, count), options).play(turn)
      for (const piece of options.pieces) if (isAct(piece)) await piece.play(turn)
      if (turn.over) return
      const text = options.pieces.filter((piece) => typeof piece === 'string').join('')
      await respond({ body: openaiCompletion(Array<string>(count).fill(text), options) }).play(turn)
    },
  }
}

/** `streams('Hello', ' world')`, `streams('Hello', hang())`: `answers` with nothing but pieces. */
export function streams(...pieces: readonly (string | Act)[]): Act {
  return answers({ pieces })
}

function streamedFrames(options: AnswerOptions, body: JsonObject, count: number): Frame[] {
  const { pieces, finishReason = 'stop', usage = SCRIPTED_USAGE } = options
  const indexes = Array.from({ length: count }, (_, index) => index)
  const frames: Frame[] = indexes.map((index) => openaiChunk({ role: 'assistant', content: '' }, { index }))
  for (const piece of pieces) {
    if (isAct(piece)) frames.push(piece)
    else frames.push(...indexes.map((index) => openaiChunk({ content: piece }, { index })))
  }
  frames.push(...indexes.map((index) => openaiChunk({}, { index, finishReason })))
  if (wantsUsage(body) && usage) frames.push(openaiUsageChunk(usage))
  return [...frames, sse('[DONE]', options.newline && { newline: options.newline })]
}

function wantsUsage(body: JsonObject): boolean {
  const options = body['stream_options']
  return isJsonObject(options) && options['include_usage'] === true
}
