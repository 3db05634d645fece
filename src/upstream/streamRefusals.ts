import type { ChatRequest } from '../core/chat/request.ts'
import type { UpstreamFailure } from '../core/failure.ts'
import { type Route, routeName } from './route.ts'

/** Targets remembered at once; the oldest goes first, and is asked once more for a stream. */
export const STREAM_REFUSALS_MAX = 1_000
/** A target that was made to stream since is noticed after so long. */
export const STREAM_REFUSAL_LIFE_MS = 60 * 60_000

/** Which targets do not stream, or not with tools: by what their provider's row says, or by what they answered. */
export interface StreamRefusals {
  refuses(request: ChatRequest, route: Route): boolean
  /** The target refused to stream this request, and answered it as a whole. */
  learn(request: ChatRequest, route: Route): void
}

/** @param now milliseconds since the epoch */
export function createStreamRefusals(now: () => number): StreamRefusals {
  const known = new Map<string, number>()

  return {
    refuses(request, route) {
      const { streaming } = route.provider.provider.quirks
      if (streaming === 'never') return true
      if (streaming === 'without_tools' && withTools(request)) return true
      if (known.size === 0) return false
      const until = known.get(nameOf(request, route))
      return until !== undefined && now() < until
    },
    learn(request, route) {
      const name = nameOf(request, route)
      known.delete(name)
      known.set(name, now() + STREAM_REFUSAL_LIFE_MS)
      if (known.size <= STREAM_REFUSALS_MAX) return
      const oldest = known.keys().next()
      if (!oldest.done) known.delete(oldest.value)
    },
  }
}

/**
 * Whether a failure says that the target does not stream such a request. Options of a stream are the caller's own: what
 * is wrong with them says nothing of the target.
 */
export function saysItDoesNotStream(failure: UpstreamFailure, { extra }: ChatRequest): boolean {
  return (
    failure.kind === 'bad_request' &&
    extra['stream_options'] === undefined &&
    STREAM_WORD.test(failure.detail)
  )
}

const STREAM_WORD = /\bstream(?:s|ed|ing)?\b/i

function withTools({ tools, extra }: ChatRequest): boolean {
  return tools !== undefined || extra['functions'] !== undefined
}

function nameOf(request: ChatRequest, route: Route): string {
  return withTools(request) ? `${routeName(route)} with tools` : routeName(route)
}
