import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { MIGRATIONS } from './migrations.ts'

test('workspaces that were there before keep the answers of Responses', () => {
  const db = new Database(':memory:')
  const run = (migrations: typeof MIGRATIONS): void => {
    for (const migration of migrations)
      for (const statement of migration.statements('sqlite')) db.run(statement)
  }
  run(MIGRATIONS.slice(0, 7))
  db.run(
    `insert into workspaces (id, name, type, created_at, balance, held) values ('ws_1', 'Acme', 'personal', 0, 0, 0)`,
  )
  run(MIGRATIONS.slice(7))
  expect(db.query('select keep_responses from workspaces').all()).toEqual([{ keep_responses: 1 }])
})
