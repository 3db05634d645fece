import type { Router } from './router.ts'

/** Tries targets by priority, in the order of the configuration, with each provider's first credential. */
export function createSimpleRouter(): Router {
  return {
    order: (routes) => routes.toSorted((a, b) => a.target.priority - b.target.priority),
    credential: (route) => route.provider.credentials[0],
    answered: () => undefined,
    failed: () => undefined,
    retryAfterMs: () => 0,
  }
}
