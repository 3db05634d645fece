import { mayCallTools } from '../core/chat/mayCallTools.ts'
import type { ChatRequest } from '../core/chat/request.ts'
import type { WireFormatId } from '../wire/wire.ts'
import { type Route, routeName } from './route.ts'

/** Routes remembered at once, those with tools apart; the oldest goes first. */
export const LARGE_PIECES_MAX = 1_000
/** A route that streams in small pieces since is noticed after so long. */
export const LARGE_PIECE_LIFE_MS = 60 * 60_000

/**
 * Formats in which a tool call is one value of a frame's JSON. Gemini's arguments come in parts only where
 * `streamFunctionCallArguments` asks for it, which its own API does not have, and which we do not send
 * (https://googleapis.github.io/js-genai/release_docs/interfaces/types.FunctionCall.html).
 */
const FORMATS_WITH_WHOLE_CALLS: ReadonlySet<WireFormatId> = new Set(['google-generate'])

/**
 * Which routes stream so much in one piece that their output is not seen growing (design §4): tool arguments, by what
 * their format or their provider's row says; anything, by what they once sent.
 */
export interface LargePieces {
  expects(request: ChatRequest, route: Route): boolean
  /** A stream that answered this request brought far more in one piece than its hold covered. */
  learn(request: ChatRequest, route: Route): void
}

/** @param now milliseconds since the epoch */
export function createLargePieces(now: () => number): LargePieces {
  const known = new Map<string, number>()

  function remember(name: string): void {
    known.delete(name)
    known.set(name, now() + LARGE_PIECE_LIFE_MS)
    if (known.size <= LARGE_PIECES_MAX) return
    const oldest = known.keys().next()
    if (!oldest.done) known.delete(oldest.value)
  }

  return {
    expects(request, route) {
      if (sendsCallsWhole(route) && mayCallTools(request)) return true
      if (known.size === 0) return false
      const until = known.get(nameOf(route, mayCallTools(request)))
      return until !== undefined && now() < until
    },
    learn(request, route) {
      // What came of tools says nothing of text; what came as text would have come with tools, too.
      if (!mayCallTools(request)) remember(nameOf(route, false))
      remember(nameOf(route, true))
    },
  }
}

function sendsCallsWhole({ provider: { provider } }: Route): boolean {
  return provider.quirks.wholeToolCalls ?? FORMATS_WITH_WHOLE_CALLS.has(provider.wire)
}

function nameOf(route: Route, tools: boolean): string {
  return tools ? `${routeName(route)} with tools` : routeName(route)
}
