import { parseArgs } from 'node:util'

export interface BenchOptions {
  /** A smoke test: everything once, briefly. */
  readonly quick: boolean
  /** The gateway alone, without the direct call and nginx. */
  readonly alone: boolean
  /** The gateway alone, under the CPU profiler. */
  readonly profile: boolean
  /** Scenarios to run; undefined: all. */
  readonly only: readonly string[] | undefined
}

export function readOptions(argv: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      quick: { type: 'boolean', default: false },
      alone: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      only: { type: 'string' },
    },
  })
  const { quick, profile, only } = values
  return { quick, alone: values.alone || profile, profile, only: only?.split(',') }
}
