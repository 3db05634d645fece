import type { ChatRequest } from '../core/chat/request.ts'
import type { UpstreamFailure } from '../core/failure.ts'
import type { Credential } from '../providers/configured.ts'
import type { Route } from './route.ts'

/** Decides where a request goes next, from the configuration and from how the targets have done. */
export interface Router {
  /** The routes to try, best first; those that must not be tried now are left out. */
  order(routes: readonly Route[], request: ChatRequest): readonly Route[]
  /** The credential to use on a route; undefined when the route needs none. Null: all of them are parked. */
  credential(route: Route): Credential | undefined | null
  /** A route answered: its first event came after so many milliseconds. */
  answered(route: Route, credential: Credential | undefined, firstEventMs: number): void
  /** A call on the route failed. */
  failed(route: Route, credential: Credential | undefined, failure: UpstreamFailure): void
  /** How long until some route may be tried again, in milliseconds; for Retry-After when none is left. */
  retryAfterMs(routes: readonly Route[]): number
}
