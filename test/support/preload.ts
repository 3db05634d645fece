/** Loaded before the test files of a run of the test command: reports when each file begins and ends. */
import { readFileSync } from 'node:fs'
import { plugin } from 'bun'
import { afterAll } from 'bun:test'
import { report } from './runEvents.ts'

// A file may hang while it is imported, so it begins when it is read. One process runs many files.
plugin({
  name: 'beginnings of test files',
  setup(build) {
    build.onLoad({ filter: /\.(?:test|planted)\.ts$/ }, ({ path }) => {
      report({ kind: 'begins', file: path })
      return { contents: readFileSync(path, 'utf8'), loader: 'ts' }
    })
  },
})
afterAll(() => report({ kind: 'ends', file: Bun.main }))
