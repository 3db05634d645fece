import { expect, test } from 'bun:test'
import type { Migration } from './migration.ts'
import { MIGRATIONS, UnknownSchema, pendingMigrations } from './migrations.ts'

const known: readonly Migration[] = ['0001-a', '0002-b', '0003-c'].map((id) => ({ id, statements: () => [] }))
const ids = (migrations: readonly Migration[]) => migrations.map(({ id }) => id)

test('what has not been applied is pending, in order', () => {
  expect(ids(pendingMigrations([], known))).toEqual(['0001-a', '0002-b', '0003-c'])
  expect(ids(pendingMigrations(['0001-a', '0002-b'], known))).toEqual(['0003-c'])
  expect(pendingMigrations(ids(known), known)).toEqual([])
})

test('a migration that this version does not know is an error that names it', () => {
  expect(() => pendingMigrations(['0001-a', '0004-d'], known)).toThrow(UnknownSchema)
  expect(() => pendingMigrations(['0004-d'], known)).toThrow('0004-d')
})

test('migrations are numbered without a gap, each once', () => {
  expect(ids(MIGRATIONS).map((id) => Number(id.slice(0, 4)))).toEqual(MIGRATIONS.map((_, i) => i + 1))
})
