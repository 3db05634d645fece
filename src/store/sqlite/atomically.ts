import type { SQLQueryBindings } from 'bun:sqlite'
import type { CompiledQuery } from 'kysely'
import type { Atomically } from '../queries/atomically.ts'
import type { GroupCommit } from './groupCommit.ts'
import type { Statements } from './statements.ts'

/** Runs a query in the transaction of a group that is under way. */
export type RunInGroup = <Row>(query: CompiledQuery) => Row[]

export function createRunInGroup(statements: () => Statements): RunInGroup {
  return <Row>({ sql, parameters }: CompiledQuery) =>
    statements()
      .passing<Row>(sql)
      .all(...(parameters as SQLQueryBindings[]))
}

/** Changes in the transactions of the group commit. */
export function createAtomically(group: Pick<GroupCommit, 'submit'>, run: RunInGroup): Atomically {
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
