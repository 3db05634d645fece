import { join } from 'node:path'
import { test } from 'bun:test'
import { expectCurrent } from '../support/generated.ts'
import { differencesPage } from './differencesPage.ts'

test('docs/differences.md is current', async () => {
  const page = await Bun.file(join(import.meta.dir, '../../docs/differences.md')).text()
  expectCurrent('docs/differences.md', page, differencesPage(), 'scripts/updateDifferences.ts')
})
