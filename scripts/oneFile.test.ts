import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ASSETS, THREADS } from './oneFile.ts'

const ROOT = join(import.meta.dir, '..')

test('what the program reads or starts by path is built into the one file', () => {
  const named = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .flatMap((path) =>
      Array.from(
        readFileSync(join(ROOT, 'src', path), 'utf8').matchAll(/ownFile\('([^']+)'\)/g),
        ([, own]) => own,
      ),
    )
    .filter((own) => own !== undefined)
  expect(named.length).toBeGreaterThan(THREADS.length)
  const built = (own: string): boolean =>
    [...THREADS, ...ASSETS].some((path) => own === path || own.startsWith(`${path}/`))
  expect(named.filter((own) => !built(own))).toEqual([])
})

test('what is built into the one file is there, and no file but by a path that it has inside', () => {
  expect([...THREADS, ...ASSETS].filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
  // A folder or file of `ASSETS` lies in the root of the one file, whatever is above it in the repository.
  expect(ASSETS.filter((path) => path.includes('/'))).toEqual([])
})
