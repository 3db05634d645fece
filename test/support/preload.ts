/** Loaded before every test file of a run of the test command: reports when the file begins and ends. */
import { afterAll } from 'bun:test'
import { report } from './runEvents.ts'

// Before the file itself is loaded: a file may hang while it is imported.
report({ kind: 'begins', file: Bun.main })
afterAll(() => report({ kind: 'ends', file: Bun.main }))
