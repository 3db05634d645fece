import type { SQLQueryBindings } from 'bun:sqlite'
import type { CompiledQuery } from 'kysely'
import type { Atomically } from '../queries/atomically.ts'
import type { GroupCommit } from './groupCommit.ts'
import type { Statements } from './statements.ts'

/** Changes in the transactions of the group commit. */
export function createAtomically(
  group: Pick<GroupCommit, 'submit'>,
  statements: () => Statements,
): Atomically {
  function run<Row>({ sql, parameters }: CompiledQuery): Row[] {
    return statements()
      .passing<Row>(sql)
      .all(...(parameters as SQLQueryBindings[]))
  }

  return {
    locks: false,
    run: ({ load, decide }) =>
      group.submit(() => {
        const { writes, result } = decide(load.map((query) => run<object>(query)))
        for (const write of writes) run(write)
        return result
      }),
  }
}
