import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

/** The program of this checkout. */
export const OWN_PROGRAM = join(import.meta.dir, '../bin/tollgate')

export interface BenchOptions {
  /** A smoke test: everything once, briefly. */
  readonly quick: boolean
  /** The gateway alone, without the direct call and nginx. */
  readonly alone: boolean
  /** The gateway alone, under the CPU profiler. */
  readonly profile: boolean
  /** Scenarios to run; undefined: all. */
  readonly only: readonly string[] | undefined
  /** How often each load is put on each target; undefined: as often as the load says. */
  readonly rounds: number | undefined
  /** The program that is measured. */
  readonly program: string
  /** Another one, such as that of an earlier commit, that is measured beside it in the same run. */
  readonly before: string | undefined
}

export function readOptions(argv: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      quick: { type: 'boolean', default: false },
      alone: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      only: { type: 'string' },
      rounds: { type: 'string' },
      program: { type: 'string', default: OWN_PROGRAM },
      before: { type: 'string' },
    },
  })
  const { quick, profile, only, rounds, before } = values
  return {
    quick,
    alone: values.alone || profile,
    profile,
    only: only?.split(','),
    rounds: rounds === undefined ? undefined : Number(rounds),
    program: resolve(values.program),
    before: before === undefined ? undefined : resolve(before),
  }
}
