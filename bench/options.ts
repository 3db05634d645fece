import { parseArgs } from 'node:util'

export interface BenchOptions {
  /** A smoke test: everything once, briefly. */
  readonly quick: boolean
  /** Runs the gateway alone, under the CPU profiler. */
  readonly profile: boolean
  /** Scenarios to run; undefined: all. */
  readonly only: readonly string[] | undefined
}

export function readOptions(argv: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      quick: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      only: { type: 'string' },
    },
  })
  return { quick: values.quick, profile: values.profile, only: values.only?.split(',') }
}
