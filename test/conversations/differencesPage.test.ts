import { join } from 'node:path'
import { expect, test } from 'bun:test'
import { differencesPage } from './differencesPage.ts'

test('docs/differences.md is current: bin/bun run scripts/updateDifferences.ts renews it', async () => {
  const page = join(import.meta.dir, '../../docs/differences.md')
  expect(await Bun.file(page).text()).toBe(differencesPage())
})
