import { describe, expect, test } from 'bun:test'
import { assert } from '../core/assert.ts'
import { GatewayError, refuse } from '../core/error.ts'
import { UpstreamError } from '../core/failure.ts'
import { StoreUnavailable } from '../core/ports/till.ts'
import { describeError } from './describeError.ts'

const WORDS = 'buried under the fig tree'

function thrownBy(act: () => unknown): unknown {
  try {
    act()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

function postgresError(errno: string | undefined, message: string, more: object = {}): Error {
  const error = new Error(message)
  error.name = 'PostgresError'
  return Object.assign(error, { code: 'ERR_POSTGRES_SERVER_ERROR', errno, ...more })
}

describe('an error that may quote what it worked on is described without its message', () => {
  const errors: readonly [string, unknown][] = [
    ['of JSON', thrownBy(() => JSON.parse(WORDS))],
    ['of a URL', thrownBy(() => new URL(WORDS))],
    ['of a number', thrownBy(() => BigInt(WORDS))],
    ['of a header', thrownBy(() => new Headers({ [WORDS]: 'x' }))],
    ['of a call', thrownBy(() => (WORDS as unknown as () => void)())],
    ['of anybody', new Error(WORDS)],
    ['of several lines', new Error(`first\n    at ${WORDS} (a:1:2)\n    at b (${WORDS}:1:2)`)],
    ['with properties', Object.assign(new Error('x'), { body: WORDS, code: WORDS })],
    ['with a name', Object.assign(new Error('x'), { name: WORDS })],
    ['with a cause', new GatewayError(refuse('invalid_request', WORDS), { cause: new Error(WORDS) })],
    ['of a provider', new UpstreamError({ kind: 'server', detail: WORDS }, { cause: new Error(WORDS) })],
    ['of a value in PostgreSQL', postgresError('22P02', `invalid input syntax for type integer: "${WORDS}"`)],
    ['of a row in PostgreSQL', postgresError('23505', 'duplicate key', { detail: `Key (name)=(${WORDS})` })],
    ['of the driver', postgresError(undefined, `connecting to ${WORDS}`)],
    ['that is a text', WORDS],
    ['that is an object', { message: WORDS }],
  ]
  test.each(errors)('%s', (_what, error) => {
    const described = JSON.stringify(describeError(error))
    for (const word of WORDS.split(' ')) expect(described).not.toContain(word)
  })
})

test('what an error is and where it was thrown is told', () => {
  const described = describeError(thrownBy(() => JSON.parse('{')))
  expect(described.type).toBe('SyntaxError')
  expect(described.stack?.join('\n')).toContain('describeError.test.ts')
})

test('the messages that are ours, and those that name tables and constraints, stay', () => {
  expect(describeError(thrownBy(() => assert(false, 'a hold is never negative')))).toMatchObject({
    type: 'AssertionError',
    message: 'a hold is never negative',
  })
  expect(
    describeError(
      new StoreUnavailable('the database cannot be reached', {
        cause: postgresError('57P03', 'the database system is starting up'),
      }),
    ),
  ).toMatchObject({
    message: 'the database cannot be reached',
    cause: { type: 'PostgresError', code: '57P03', message: 'the database system is starting up' },
  })
  const failure = { kind: 'connection', code: 'ECONNREFUSED', detail: '' } as const
  expect(describeError(new UpstreamError(failure))).toMatchObject({
    message: 'The provider could not be reached, or the connection was lost.',
    kind: 'connection',
    code: 'ECONNREFUSED',
  })
})

test('errors that are each other’s cause end', () => {
  const first = new Error('first')
  first.cause = new Error('second', { cause: first })
  expect(JSON.stringify(describeError(first)).split('"type"')).toHaveLength(6)
})
