import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PAGES_WITH_BLOCKS, ROOT, testPages } from './followPages.ts'
import { Reader } from './reader.ts'

testPages('others')

test('what is not run says why', () => {
  const notes = PAGES_WITH_BLOCKS.flatMap(([page, blocks]) =>
    blocks.map(({ line, note }) => [page, line, note] as const),
  )
  for (const [page, line, note] of notes) {
    if (note === undefined || note === 'keeps running') continue
    expect([page, line, /^(?:not run: .{10,}|generated)/.test(note)]).toEqual([page, line, true])
  }
  const skipped = notes.filter(([, , note]) => note?.startsWith('not run: '))
  expect(skipped.length).toBeLessThan(PAGES_WITH_BLOCKS.flatMap(([, blocks]) => blocks).length / 3)
})

test('an example configuration is one that check takes', async () => {
  await using reader = await Reader.start({ gateway: false })
  const text = readFileSync(join(ROOT, 'tollgate.example.yaml'), 'utf8')
  await reader.check(text)
})
