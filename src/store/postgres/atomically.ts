import { SQL } from 'bun'
import type { CompiledQuery } from 'kysely'
import type { AtomicChange, Atomically } from '../queries/atomically.ts'
import { storable } from './arrays.ts'
import type { Statement } from './pool.ts'
import type { Lane, Transaction } from './transaction.ts'

const UNIQUE_VIOLATION = '23505'

/** Changes one after the other in a lane of their own. */
export function createAtomically(lane: Lane): Atomically {
  return { locks: true, run: (change) => runOnce(lane, transactionOf(change)) }
}

/** What others have written at the same moment under the same unique name is there to be seen the second time. */
export async function runOnce<Result>(lane: Lane, transaction: Transaction<Result>): Promise<Result> {
  try {
    return await lane.run(transaction)
  } catch (error) {
    if (error instanceof SQL.PostgresError && error.errno === UNIQUE_VIOLATION) return lane.run(transaction)
    throw error
  }
}

function transactionOf<Result>({ load, decide }: AtomicChange<Result>): Transaction<Result> {
  return {
    load: load.map(statementOf),
    decide(loaded) {
      const { writes, result } = decide(loaded)
      return { writes: writes.map(statementOf), result }
    },
  }
}

export function statementOf({ sql, parameters }: CompiledQuery): Statement {
  const values = parameters.map((value) => (typeof value === 'string' ? storable(value) : value))
  return { text: sql, values }
}
