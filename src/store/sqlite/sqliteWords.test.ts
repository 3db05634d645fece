import { expect, test } from 'bun:test'
import { sqliteWords } from './sqliteWords.ts'

test.each([
  ['SQLITE_FULL', 'x (SQLITE_FULL); its disk is full, or a quota on it'],
  ['SQLITE_IOERR_SHMSIZE', 'x (SQLITE_IOERR_SHMSIZE); its disk may be full'],
  ['SQLITE_IOERR_WRITE', 'x (SQLITE_IOERR_WRITE); its disk may be full'],
  ['SQLITE_IOERR_READ', 'x (SQLITE_IOERR_READ)'],
  ['SQLITE_CORRUPT', 'x (SQLITE_CORRUPT)'],
])('a fault of the disk is said to be one that a full disk has: %s', (code, words) => {
  expect(sqliteWords({ message: 'x', code })).toBe(words)
})
