import type { AnswerEvent } from '../core/answer/event.ts'
import type { Choice, FinerReason, FinishReason } from '../core/answer/wholeAnswer.ts'
import { type FailureKind, UpstreamError, type UpstreamFailure } from '../core/failure.ts'
import { failureCode } from '../core/failureCode.ts'

/** What a choice holds when it ends. */
export interface Made {
  /** Text, reasoning, images or calls. */
  readonly content: boolean
  readonly calls: boolean
}

export type Finish = Finished | { readonly ok: false; readonly failure: UpstreamFailure }

export interface Finished {
  readonly ok: true
  readonly reason: FinishReason
  readonly finerReason?: FinerReason
  /** The provider's word, where no list has it. */
  readonly unknownWord?: string
}

/** Of a word in the log. */
const DETAIL_LENGTH_MAX = 200

/** Words of a provider of its own, in lower case. */
export type OwnFinishWords = Readonly<Record<string, FinishReason>>

/** Of the words of all wire formats, in lower case. */
const REASONS: Readonly<Record<Exclude<FinishReason, 'function_call'>, readonly string[]>> = {
  stop: ['stop', 'stop_sequence', 'end', 'end_turn', 'eos', 'eos_token', 'complete', 'completed'],
  length: [
    'length',
    'max_tokens',
    'max_output_tokens',
    'max_length',
    'model_length',
    'model_context_window_exceeded',
    'continuation',
    'error_limit',
    // The provider paused a turn of its own tools: the rest is missing.
    'pause_turn',
  ],
  tool_calls: ['tool_calls', 'tool_call', 'tool_use', 'function_call'],
  content_filter: [
    'content_filter',
    'content_filtered',
    'guardrail_intervened',
    'refusal',
    'safety',
    'sensitive',
    'recitation',
    'language',
    'blocklist',
    'prohibited_content',
    'spii',
    'model_armor',
    'image_safety',
    'image_prohibited_content',
    'image_recitation',
    'image_other',
    // Cohere's first interface, which resellers still speak.
    'error_toxic',
  ],
}

const FAILURES: Readonly<Partial<Record<FailureKind, readonly string[]>>> = {
  overloaded: ['insufficient_system_resource'],
  server: ['error', 'abort', 'aborted', 'cancelled', 'timeout', 'network_error'],
  malformed_output: [
    'malformed_function_call',
    'malformed_response',
    'malformed_model_output',
    'malformed_tool_use',
    'unexpected_tool_call',
    'too_many_tool_calls',
    'missing_thought_signature',
  ],
}

/** Google's endpoint for OpenAI's format puts its own word behind another: `function_call_filter: MALFORMED_FUNCTION_CALL`. */
const PREFIX = /^[a-z_]+: */

type Meaning = FinishReason | { readonly failure: FailureKind }

const KNOWN: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ...Object.entries(REASONS).flatMap(([reason, words]) =>
    words.map((word) => [word, reason as FinishReason] as const),
  ),
  ...Object.entries(FAILURES).flatMap(([kind, words]) =>
    words.map((word) => [word, { failure: kind as FailureKind }] as const),
  ),
])

/**
 * Reads why a choice ended, by one list for all wire formats and without case. An unknown word behind content is a cut
 * answer, because nothing says that it is whole; without content there is no answer.
 *
 * @param word as it came; undefined, null or empty: the provider gives no reason, though the answer is whole
 * @param own words of this provider
 */
export function readFinish(word: unknown, made: Made, own: OwnFinishWords = {}): Finish {
  if (word === undefined || word === null || word === '') {
    return made.content ? { ok: true, reason: unsaidReason(made) } : failed('invalid_answer', 'no reason')
  }
  if (typeof word !== 'string') return failed('invalid_answer', typeof word)
  const lower = word.toLowerCase().replace(PREFIX, '')
  const known = Object.hasOwn(own, lower) ? own[lower] : KNOWN.get(lower)
  if (typeof known === 'string') return { ok: true, reason: asMade(known, made), ...finer(lower) }
  if (known) return failed(known.failure, word)
  return made.content ? { ok: true, reason: 'length', unknownWord: word } : failed('invalid_answer', word)
}

const FINER_REASONS: readonly FinerReason[] = ['pause_turn', 'model_context_window_exceeded']

function finer(word: string): Pick<Finished, 'finerReason'> {
  const finerReason = FINER_REASONS.find((reason) => reason === word)
  return finerReason === undefined ? {} : { finerReason }
}

/**
 * What its caller has decides over the provider's word: agents go on or stop by the reason, and some providers say `stop`
 * behind calls, or `tool_calls` without any. Reported: anomalyco/opencode#14972, mastra-ai/mastra#14187.
 */
function asMade(reason: FinishReason, made: Made): FinishReason {
  return reason === 'stop' || reason === 'tool_calls' ? unsaidReason(made) : reason
}

/** The same for a choice of a whole answer. Throws `UpstreamError`. */
export function endOf(word: unknown, made: Made, own?: OwnFinishWords): ReturnType<typeof endOfFinish> {
  return endOfFinish(readFinish(word, made, own))
}

export function endOfFinish(finish: Finish): Pick<Choice, 'finishReason' | 'finerReason' | 'unknownWord'> {
  if (!finish.ok) throw new UpstreamError(finish.failure)
  const { ok: _, reason, ...words } = finish
  return { finishReason: reason, ...words }
}

export function finishEvent(
  index: number,
  { reason, finerReason, unknownWord }: Omit<Finished, 'ok'>,
): AnswerEvent {
  return {
    type: 'finish',
    index,
    reason,
    ...(finerReason !== undefined && { finerReason }),
    ...(unknownWord !== undefined && { unknownWord }),
  }
}

/** The end of a choice that is whole, where its provider does not say why it ended. */
export function unsaidReason({ calls }: Pick<Made, 'calls'>): FinishReason {
  return calls ? 'tool_calls' : 'stop'
}

function failed(kind: FailureKind, word: string): Finish {
  const code = failureCode(word)
  const detail = `finish reason ${word}`.slice(0, DETAIL_LENGTH_MAX)
  return { ok: false, failure: { kind, ...(code !== undefined && { code }), detail } }
}
