import { expect, test } from 'bun:test'
import { redact } from './redact.ts'

test.each([
  ['an OpenAI-style key', 'Incorrect API key provided: sk-proj-abcdEFGH1234567890.', 'abcdEFGH1234567890'],
  ['a bearer token', 'sent Authorization: Bearer abc.def.ghi', 'abc.def.ghi'],
  ['a key in a URL', 'GET https://api.example/v1?key=AIzaSyA1234567 failed', 'AIzaSyA1234567'],
  ['a key of ours', 'no such key tg_01ABCDEFGHJKMNPQRSTVWXYZ', '01ABCDEFGHJKMNPQRSTVWXYZ'],
  ['an organisation', 'Rate limit reached for org-AbCdEf123', 'AbCdEf123'],
  ['a long opaque word', `token ${'a1B2'.repeat(16)}`, 'a1B2a1B2'],
])('%s does not reach the log', (_what, text, secret) => {
  expect(redact(text)).not.toContain(secret)
  expect(redact(text)).toContain('[redacted]')
})

test('a configured credential is taken out wherever it stands, whatever it looks like', () => {
  expect(redact('user hunter2 is blocked (hunter2)', ['hunter2'])).toBe(
    'user [redacted] is blocked ([redacted])',
  )
})

test('what says what went wrong stays', () => {
  const text = 'The model gpt-5 is overloaded (503), retry in 20 s'
  expect(redact(text)).toBe(text)
})

test('an endless detail is cut', () => {
  expect(redact('x '.repeat(10_000)).length).toBeLessThanOrEqual(2_000)
})
