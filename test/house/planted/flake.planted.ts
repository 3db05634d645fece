import { expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

test('passes (always)', () => {
  expect(1 + 1).toBe(2)
})

test('fails (once), then passes', () => {
  const mark = join(tmpdir(), 'flake-has-failed')
  const again = existsSync(mark)
  writeFileSync(mark, '')
  expect(again).toBe(true)
})
