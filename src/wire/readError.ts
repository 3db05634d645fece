import type { FailureKind, UpstreamFailure } from '../core/failure.ts'
import type { Json } from '../core/json.ts'
import { decidingWords } from './decidingWords.ts'

/** What an error says, wherever its format puts it. */
export interface ErrorSays {
  /** The HTTP status, or the one that a 200's error gives; undefined: it gives none. */
  readonly status: number | undefined
  /** What a code of the format's list means. It comes before everything else. */
  readonly code: FailureKind | undefined
  /** The field at fault, as the provider names it. */
  readonly param?: string | undefined
  readonly message: string
  /** The body of the request. */
  readonly sent: Json | undefined
  /** What a code means that is too vague to come before the words: `invalid_request_error`. */
  readonly vagueCode?: FailureKind | undefined
}

export type Reading = Required<Pick<UpstreamFailure, 'kind' | 'sign'>>

/** Reads an error by code, then by the field that it names, then by its words, then by its status: one rule for all formats. */
export function readError(error: ErrorSays): Reading {
  if (error.code !== undefined) return { kind: error.code, sign: 'code' }
  const words = kindOfWords(error)
  if (words !== undefined) return { kind: words, sign: 'words' }
  if (error.status !== undefined) return { kind: kindOfStatus(error.status), sign: 'status' }
  if (error.vagueCode !== undefined) return { kind: error.vagueCode, sign: 'code' }
  return { kind: 'invalid_answer', sign: 'words' }
}

/** What a status alone says. */
export function kindOfStatus(status: number): FailureKind {
  switch (status) {
    case 401:
    case 403:
    case 498:
      return 'credential'
    case 402:
      return 'billing'
    case 404:
      return 'not_found'
    case 413:
      return 'too_large'
    case 429:
      return 'rate_limited'
    case 503:
    case 529:
      return 'overloaded'
    case 408:
    case 409:
    case 424:
    case 425:
    case 499:
      return 'server'
    default:
      if (status >= 500) return 'server'
      return status >= 400 ? 'bad_request' : 'invalid_answer'
  }
}

const TOO_LONG = [
  'too long|too large for model|too many (input |total )?tokens|context (length|window|size)|maximum context',
  'reduce the length|exceeds? the (?:model.s )?(?:maximum )?(?:context|input)',
  // Amazon Nova; Gemini; Poolside.
  'input tokens exceeded|input token count .{0,40}exceeds|exceeds the maximum allowed input length',
  // xAI; Together and Hugging Face's server, of two names in backticks.
  'maximum prompt length|tokens \\+ (?:…|max_new_tokens) must be',
  // vLLM, of the prompt and of the output that it leaves room for; LM Studio.
  'longer than the maximum model length|max_tokens must be at least 1, got -|n_keep .{0,40}n_ctx',
  // Qwen on DashScope and where it is resold; Hugging Face's server.
  'range of input length should be|must have less than \\d+ tokens',
]
const BILLING = [
  'exceeded (?:your )?current quota|insufficient (?:account )?(?:balance|credits?|funds|quota)|credit balance',
  '(?:spend|spending|usage|billing)(?: hard)? limits?|requires? more credits|out of credits|payment required',
  // Anthropic; DashScope.
  'issue with your billing|account is in good standing',
]
const CREDENTIAL = [
  'invalid (?:api|access) (?:key|token)|incorrect api key|api key (?:not valid|is invalid|expired)|api_key_invalid',
  'unauthori[sz]ed|organization has been disabled',
]
const CONTENT_POLICY = [
  'content (filter|policy|management)|violating .{0,20}usage policy|moderation|guardrail',
]
const NOT_FOUND = [
  'model\\b.{0,120}\\b(?:does not exist|not found|is not available|was removed)|no such model|unknown model',
  // Bedrock.
  'model identifier is invalid|on-demand throughput|end of its life|inference profile',
]

interface WordsRule {
  readonly kind: FailureKind
  readonly words: RegExp
  /** Where these words are listened to; `undefined`: in a 200. */
  readonly statuses: readonly (number | undefined)[]
  /** Whether they also count where the error names another field than the model as the one at fault. */
  readonly besideParam: boolean
}

/** In order: the first that matches decides. */
const RULES: readonly WordsRule[] = [
  // OpenRouter: "This request requires more credits, or fewer max_tokens. You requested …, but can only afford …"
  rule('too_dear', [402], ['fewer max_tokens|can only afford'], true),
  rule('billing', [400, 403, 412, 422, 429, undefined], BILLING),
  // Cohere's trial keys.
  rule('billing', [429], ['(?:per|/) ?month']),
  rule(
    'overloaded',
    [undefined],
    ['overloaded|at capacity|capacity exceeded|server is busy|try again later'],
  ),
  rule('too_large', [400, 403, 422, undefined], TOO_LONG, true),
  rule('content_policy', [400, 403, 422, undefined], CONTENT_POLICY, true),
  rule('content_policy', [403], ['flagged'], true),
  rule('credential', [400, 422], CREDENTIAL),
  rule('not_found', [400, 403, 422], NOT_FOUND),
]

function rule(
  kind: FailureKind,
  statuses: WordsRule['statuses'],
  words: readonly string[],
  besideParam = false,
): WordsRule {
  return { kind, statuses, words: new RegExp(words.join('|'), 'i'), besideParam }
}

function kindOfWords({ status, param, message, sent }: ErrorSays): FailureKind | undefined {
  const rules = RULES.filter(
    ({ statuses, besideParam }) =>
      statuses.includes(status) && (besideParam || param === undefined || param === 'model'),
  )
  if (rules.length === 0) return undefined
  const words = decidingWords(message, sent)
  return rules.find((each) => each.words.test(words))?.kind
}
