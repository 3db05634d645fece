import type { Store } from '../core/ports/store.ts'
import type { Health } from '../http/deps.ts'

export interface Hindrances {
  /** The process ends. */
  readonly draining: boolean
  /** The database does not take settlements. */
  readonly stuck: boolean
}

/** Whether this process can serve now, and what it lacks. */
export async function readiness(store: Store, { draining, stuck }: Hindrances): Promise<Health> {
  const reachable = await store.ping().then(
    () => true,
    () => false,
  )
  return {
    ready: reachable && !draining && !stuck,
    checks: {
      store: reachable ? 'ok' : 'the database cannot store anything at the moment',
      ...(stuck && { settlements: 'the database does not take the charges of calls' }),
      ...(draining && { drain: 'shutting down' }),
    },
  }
}
