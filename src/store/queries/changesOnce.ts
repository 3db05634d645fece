import type { CompiledQuery, Kysely, Selectable } from 'kysely'
import { decideRepetition } from '../../core/once.ts'
import type { Once, Repetition } from '../../core/ports/once.ts'
import { readStoredChange } from '../rows.ts'
import type { Schema } from '../schema.ts'
import type { AtomicChange, Atomically } from './atomically.ts'

export interface Made<Result> {
  readonly kind: 'made'
  readonly made: Result
}

export function made<Result>(result: Result): Made<Result> {
  return { kind: 'made', made: result }
}

type ChangesOnce = <Result, Refused extends { readonly kind: string }>(
  once: Once<Result> | undefined,
  change: AtomicChange<Made<Result> | Refused>,
) => Promise<Made<Result> | Refused | Repetition>

/** Makes changes, unless one under the same name was made before. */
export function createChangesOnce(db: Kysely<Schema>, atomically: Atomically): ChangesOnce {
  function earlierChange(name: string): CompiledQuery {
    return db
      .selectFrom('admin_changes')
      .selectAll()
      .where('name', '=', name)
      .$if(atomically.locks, (query) => query.forUpdate())
      .compile()
  }

  function insertChange({ name, inputHash, subject, answerUntil, at }: Once<never>, answer: string) {
    return db
      .insertInto('admin_changes')
      .values({ name, input_hash: inputHash, subject, answer, answer_until: answerUntil, made_at: at })
      .compile()
  }

  return <Result, Refused extends { readonly kind: string }>(
    once: Once<Result> | undefined,
    change: AtomicChange<Made<Result> | Refused>,
  ) => {
    if (!once) return atomically.run<Made<Result> | Refused | Repetition>(change)
    const { load, decide } = change
    return atomically.run<Made<Result> | Refused | Repetition>({
      load: [earlierChange(once.name), ...load],
      decide([earlier = [], ...loaded]) {
        const [row] = earlier as Selectable<Schema['admin_changes']>[]
        if (row) return { writes: [], result: decideRepetition(readStoredChange(row), once) }
        const { writes, result } = decide(loaded)
        if (!isMade(result)) return { writes, result }
        return { writes: [...writes, insertChange(once, once.answerOf(result.made))], result }
      },
    })
  }
}

function isMade<Result>(result: Made<Result> | { readonly kind: string }): result is Made<Result> {
  return result.kind === 'made'
}
