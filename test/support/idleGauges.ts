import type { Gauges } from '../../src/observe/metrics.ts'

/** A gateway that can serve and has nothing to do. */
export const IDLE: Gauges = {
  openCalls: () => 0,
  bodyBytes: () => 0,
  blocks: () => [],
  ready: () => Promise.resolve(true),
  draining: () => false,
}
