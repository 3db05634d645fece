import type { UpstreamFailure } from '../../core/failure.ts'
import { parseJson } from '../../core/json.ts'
import { failureOf } from '../errorAnswer.ts'
import { readObject, readText } from '../read.ts'
import { namesField, readError } from '../readError.ts'
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
  const body = parseJson(answer.body) ?? answer.body
  const fields = readObject(body) ?? {}
  const message = readText(fields.message) ?? readText(fields.Message) ?? ''
  const type = answer.headers.get('x-amzn-errortype') ?? readText(fields.__type) ?? ''
  const codes = [bareName(type)]
  const { status, headers, sent } = answer
  const reading = readError({ status, headers, codes, message, sent, body })
  const param = namesField(reading) ? paramIn(message) : undefined
  return failureOf(answer, reading, { codes, param })
}

/** `com.amazon#ValidationException:http://…` → `ValidationException`. */
export function bareName(name: string): string {
  return name.split(':')[0]?.split('#').at(-1) ?? ''
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
