import type { Kysely } from 'kysely'
import type { Answers } from '../../core/ports/answers.ts'
import type { Schema } from '../schema.ts'

/** What needs no lock of the kept answers, the same on every engine. Claiming and expiring are the engine's own. */
export function createAnswerQueries(db: Kysely<Schema>): Pick<Answers, 'free'> {
  return {
    async free(workspace, idempotencyKey, id) {
      await db
        .deleteFrom('answers')
        .where('workspace_id', '=', workspace)
        .where('idempotency_key', '=', idempotencyKey)
        .where('request_id', '=', id)
        .where('body', 'is', null)
        .execute()
    },
  }
}
