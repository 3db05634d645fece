import { expect, test } from 'bun:test'
import { errorBody, refuse } from './error.ts'

test('a body is bounded, whatever its message and its parameter quote', () => {
  const long = 'x'.repeat(1_000_000)
  const { error } = errorBody(refuse('invalid_request', `"${long}"`, { param: long }))
  expect(JSON.stringify(error).length).toBeLessThan(21_000)
})

test('what is shorter stays as it is', () => {
  const { error } = errorBody(refuse('not_found', 'There is nothing.'))
  expect(error).toEqual({
    code: 'not_found',
    message: 'There is nothing.',
    type: 'invalid_request_error',
    param: null,
  })
})
