import { type Refusal, refuse } from './error.ts'
import type { RequestPart, UpstreamFailure } from './failure.ts'

/** The error for a request that is too large for every target, in tokens or otherwise: it names what is too large. */
export function refuseSize(failure: UpstreamFailure): Refusal {
  if (failure.kind === 'oversized') return refusePart(failure)
  const param = failure.param ?? 'messages'
  return refuse('invalid_request', `${why(failure, param)}${numbersOf(failure)}.`, { param })
}

function why({ kind }: UpstreamFailure, param: string): string {
  const subject = param === 'max_tokens' ? 'The messages and `max_tokens` together are' : 'The messages are'
  return kind === 'over_limit'
    ? `${subject} above a limit of this model that does not change with time`
    : `${subject} too long for this model`
}

function numbersOf({ limit, requested }: UpstreamFailure): string {
  if (limit === undefined || requested === undefined) return ''
  return `: the request has ${requested} tokens, and the limit is ${limit}`
}

const TOO_LARGE: Readonly<Record<RequestPart, string>> = {
  body: 'The request has too many bytes for this model',
  text: 'A text of the request is too long for this model',
  list: 'A list of the request has too many items for this model',
  image: 'An image of the request is too large for this model',
  images: 'The request has too many images for this model',
  file: 'A file of the request is too large for this model',
  tools: 'The request has too many tools for this model',
}

/** The field that holds such a part, where the provider names none. */
const PARAMS: Readonly<Partial<Record<RequestPart, string>>> = {
  image: 'messages',
  images: 'messages',
  file: 'messages',
  tools: 'tools',
}

function refusePart({ part = 'body', param = PARAMS[part], limit }: UpstreamFailure): Refusal {
  const where = param !== undefined && param !== PARAMS[part] ? ` (\`${param}\`)` : ''
  const most = limit === undefined ? '' : `: the limit is ${limit}`
  return refuse('invalid_request', `${TOO_LARGE[part]}${where}${most}.`, param === undefined ? {} : { param })
}
