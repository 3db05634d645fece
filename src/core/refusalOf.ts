import { unreachable } from './assert.ts'
import { ERRORS, type Refusal, refuse } from './error.ts'
import { type FailureKind, type UpstreamFailure, isCharged, isRequestAtFault } from './failure.ts'
import { refuseSize } from './refuseSize.ts'

/** What a 503 suggests to wait when the provider named no time. */
const DEFAULT_RETRY_AFTER_SECONDS = 5
/** Memory is free again as soon as other responses have ended. */
const NO_ROOM_RETRY_AFTER_SECONDS = 1
/** A longer wait is not told: clients give up or ignore it, and another provider may be free sooner. */
const RETRY_AFTER_SECONDS_MAX = 3600

/**
 * The error that a caller receives for a failed call to a provider, once every retry and fallback is used up
 * (docs/routing.md#when-a-call-fails, last column). Its text is the gateway's, never the provider's.
 */
export function refusalOf(failure: UpstreamFailure): Refusal {
  return failure.begun ? refusalOfBrokenOff(failure) : refusalOfKind(failure)
}

function refusalOfKind(failure: UpstreamFailure): Refusal {
  switch (failure.kind) {
    case 'bad_request':
      return refuseValue(failure)
    case 'too_large':
    case 'over_limit':
    case 'oversized':
      return refuseSize(failure)
    case 'content_policy':
      return refuse('invalid_request', "The request was refused under the provider's content policy.")
    case 'rate_limited':
    case 'overloaded':
      return refuse('service_unavailable', 'The model is overloaded at the moment. Retry later.', {
        retryAfterSeconds: retryAfterSeconds(failure.retryAfterMs),
      })
    case 'no_files':
    case 'no_ports':
      return refuse('service_unavailable', 'The gateway is overloaded at the moment. Retry later.', {
        retryAfterSeconds: DEFAULT_RETRY_AFTER_SECONDS,
      })
    case 'no_room':
      return refuse('service_unavailable', `The ${NO_ROOM}`, {
        retryAfterSeconds: NO_ROOM_RETRY_AFTER_SECONDS,
      })
    case 'no_share':
      // It is charged, so it must not be an error that clients and proxies repeat by themselves.
      return refuse('invalid_request', NO_SHARE)
    case 'timeout':
      return refuse('upstream_error', "The model's provider did not answer in time.")
    case 'connection':
      return refuse(
        'upstream_error',
        "The model's provider could not be reached, or the connection was lost.",
      )
    case 'invalid_answer':
      return refuse('upstream_error', "The response of the model's provider was interrupted or invalid.")
    case 'malformed_output':
      return refuse('upstream_error', "The model's output was malformed, such as an invalid tool call.")
    case 'credential':
    case 'billing':
    case 'too_dear':
    case 'not_found':
    case 'server':
      return refuse('upstream_error', "The model's provider failed to serve the request.")
    default:
      return unreachable(failure.kind)
  }
}

const NO_ROOM = 'responses in flight of this server are too large together. Retry when some have ended.'
const NO_SHARE =
  'The responses in flight of this workspace are too large together. Ask for smaller ones, or for fewer at the same time. What was generated is charged.'

function refuseValue({ param, limit }: UpstreamFailure): Refusal {
  if (param === undefined) return refuse('invalid_request', 'The model cannot take this request as it is.')
  const why =
    limit === undefined
      ? `The model cannot take this value of \`${param}\`.`
      : `The model cannot take this value of \`${param}\`: it takes at most ${limit}.`
  return refuse('invalid_request', why, { param })
}

/**
 * The error for a failure after the first event of an answer: the provider was there, and broke the answer off. Where a
 * repetition may help, the message holds the words "server error": agents go on by them.
 *
 * @param delivered the caller has content of the answer
 */
export function refusalOfBrokenOff(failure: UpstreamFailure, delivered = false): Refusal {
  const refusal = refusalOfKind(failure)
  const { kind } = failure
  if (kind === 'no_room') return { ...refusal, message: `The gateway had a server error: the ${NO_ROOM}` }
  if (kind === 'no_share') return refusal
  const mayHelp = ERRORS[refusal.code].retryable && !isRequestAtFault(failure)
  const charged = delivered && isCharged(failure)
  return {
    ...refusal,
    message: `The model's provider interrupted its answer${mayHelp ? ' with a server error' : ''}${REASONS[kind]}.${charged ? ' What was generated until then is charged.' : ''}`,
  }
}

/** Why an answer broke off, where that is known: the end of the sentence. */
const REASONS: Readonly<Record<Exclude<FailureKind, 'no_room' | 'no_share'>, string>> = {
  bad_request: ': it rejected the request',
  too_large: ': prompt and answer are too long for the model',
  oversized: ': a part of the request is too large',
  over_limit: '',
  content_policy: ': its content policy applies',
  rate_limited: ': it is overloaded at the moment. Retry later',
  overloaded: ': it is overloaded at the moment. Retry later',
  no_files: '',
  no_ports: '',
  timeout: ': it stopped sending',
  connection: ': connection reset',
  invalid_answer: ', or the answer is invalid',
  malformed_output: ": the model's output was malformed, such as an invalid tool call",
  credential: '',
  billing: '',
  too_dear: '',
  not_found: '',
  server: '',
}

function retryAfterSeconds(ms: number | undefined): number {
  if (ms === undefined) return DEFAULT_RETRY_AFTER_SECONDS
  return Math.min(RETRY_AFTER_SECONDS_MAX, Math.max(1, Math.ceil(ms / 1000)))
}
