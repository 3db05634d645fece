import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { MIGRATIONS } from './migrations.ts'

test('of admin tokens in force whose names differ by their case only, the oldest keeps its name', () => {
  const db = new Database(':memory:')
  const run = (migrations: typeof MIGRATIONS): void => {
    for (const migration of migrations)
      for (const statement of migration.statements('sqlite')) db.run(statement)
  }
  run(MIGRATIONS.slice(0, 5))
  const insert = db.query(
    'insert into admin_tokens (id, name, hint, secret_hash, created_at, revoked_at) values (?1, ?2, ?1, ?1, ?3, ?4)',
  )
  insert.run('token_1', 'Ann', 2, null)
  insert.run('token_2', 'ann', 1, null)
  insert.run('token_3', 'ANN', 2, null)
  insert.run('token_4', 'ann', 0, 5)
  insert.run('token_5', 'ben', 3, null)
  run(MIGRATIONS.slice(5))
  const names = db.query<{ name: string }, []>('select name from admin_tokens order by id').all()
  expect(names.map(({ name }) => name)).toEqual(['Ann token_1', 'ann', 'ANN token_3', 'ann', 'ben'])
  expect(() => insert.run('token_6', 'BEN', 4, null)).toThrow('UNIQUE')
})
