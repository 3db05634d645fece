import type { FailureKind, UpstreamFailure } from '../../core/failure.ts'
import { isJsonObject, parseJson } from '../../core/json.ts'
import { failureOf } from '../errorAnswer.ts'
import { readText } from '../read.ts'
import { type ErrorSays, type Reading, readError } from '../readError.ts'
import type { ErrorAnswer } from '../wire.ts'

/** Our names of Converse's parameters. */
const PARAMS: Readonly<Record<string, string>> = {
  maxTokens: 'max_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  stopSequences: 'stop',
  toolConfig: 'tools',
  messages: 'messages',
  system: 'messages',
}

/**
 * The body is `{message}`; the kind of error is in the header `x-amzn-errortype`, sometimes with an
 * address behind a colon, or in the body's `__type` behind a `#`.
 */
export function decodeError(answer: ErrorAnswer): UpstreamFailure {
  const body = parseJson(answer.body)
  const fields = isJsonObject(body) ? body : {}
  const message = readText(fields['message']) ?? readText(fields['Message']) ?? ''
  const type = answer.headers.get('x-amzn-errortype') ?? readText(fields['__type']) ?? ''
  const reading = readException(type, { status: answer.status, message, sent: answer.sent })
  const param = reading.kind === 'bad_request' ? paramIn(message) : undefined
  return failureOf(answer, reading, { codes: [bareName(type)], ...(param !== undefined && { param }) })
}

/**
 * Reads an exception by its name, in a header or in a stream. A `ValidationException` can mean the prompt, its policy, or the
 * route: its words decide.
 */
export function readException(name: string, error: Pick<ErrorSays, 'status' | 'message' | 'sent'>): Reading {
  const kind = kindOfException(name)
  const vague = kind === 'bad_request'
  return readError({ ...error, code: vague ? undefined : kind, vagueCode: vague ? kind : undefined })
}

/** Undefined when it is none we know. */
function kindOfException(name: string): FailureKind | undefined {
  switch (plainName(name)) {
    case 'validation':
    case 'serialization':
      return 'bad_request'
    case 'accessdenied':
    case 'unrecognizedclient':
    case 'expiredtoken':
    case 'invalidsignature':
    case 'incompletesignature':
    case 'missingauthenticationtoken':
    case 'optinrequired':
      return 'credential'
    case 'servicequotaexceeded':
      return 'billing'
    case 'resourcenotfound':
    case 'unknownoperation':
      return 'not_found'
    case 'throttling':
    case 'toomanyrequests':
      return 'rate_limited'
    case 'modelnotready':
    case 'serviceunavailable':
      return 'overloaded'
    case 'internalserver':
    case 'internalfailure':
    case 'modelerror':
    case 'modelstreamerror':
    case 'modeltimeout':
    case 'conflict':
      return 'server'
    default:
      return undefined
  }
}

/** `com.amazon#ValidationException:http://…` → `ValidationException`. */
export function bareName(name: string): string {
  return name.split(':')[0]?.split('#').at(-1) ?? ''
}

/** `com.amazon#ValidationException:http://…` → `validation`. */
function plainName(name: string): string {
  return bareName(name)
    .toLowerCase()
    .replace(/exception$/, '')
}

/** "Value '2' at 'inferenceConfig.temperature' failed to satisfy constraint" and sentences like it. */
function paramIn(message: string): string | undefined {
  const path =
    /at '([^']+)'/.exec(message)?.[1] ?? /\b(maxTokens|maximum tokens|topP|temperature)\b/i.exec(message)?.[1]
  if (path === undefined) return undefined
  if (path.toLowerCase() === 'maximum tokens') return 'max_tokens'
  return path
    .split('.')
    .map((step) => PARAMS[step])
    .findLast((param) => param !== undefined)
}
