import { expect, test } from 'bun:test'
import { readResultLine } from './resultLines.ts'

test('a result is read with the names of its groups, and without its time', () => {
  expect(readResultLine('(pass) group > first ok [503.92ms]')).toEqual({
    kind: 'result',
    status: 'pass',
    name: 'group > first ok',
  })
  expect(readResultLine('(fail) fails')).toEqual({ kind: 'result', status: 'fail', name: 'fails' })
  expect(readResultLine('(skip) waits [x] for it')).toEqual({
    kind: 'result',
    status: 'skip',
    name: 'waits [x] for it',
  })
  expect(readResultLine('(todo) later')).toEqual({ kind: 'result', status: 'skip', name: 'later' })
})

test('the lines between results are told apart', () => {
  expect(readResultLine('test/journey/paths.test.ts:')).toEqual({
    kind: 'file',
    file: 'test/journey/paths.test.ts',
  })
  expect(readResultLine('  ^ this test timed out after 3000ms.')).toEqual({ kind: 'timeout' })
  expect(readResultLine('# Unhandled error between tests')).toEqual({ kind: 'unhandled' })
  expect(readResultLine('✗ test/a.test.ts (worker crashed: SIGKILL)')).toEqual({
    kind: 'crash',
    file: 'test/a.test.ts',
    cause: 'SIGKILL',
  })
  expect(readResultLine('bun test v1.4.5 (a7733435c) 2x PARALLEL')).toEqual({ kind: 'noise' })
  expect(readResultLine('Expected: 2')).toEqual({ kind: 'text' })
})

test('what the runner repeats at its end is not taken for results', () => {
  expect(readResultLine('6 tests skipped:')).toEqual({ kind: 'recap' })
  expect(readResultLine('1 test failed:')).toEqual({ kind: 'recap' })
  expect(readResultLine(' 3726 pass')).toEqual({ kind: 'count', status: 'pass', count: 3726 })
  expect(readResultLine('Ran 3732 tests across 177 files. [201.06s]')).toEqual({ kind: 'end' })
})
