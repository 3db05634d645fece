import { describe, expect, test } from 'bun:test'
import { ENCODINGS, leaksIn } from '../../test/support/privateWords.ts'
import { createRedact, REDACTED_LENGTH_MAX } from './redact.ts'

const redact = createRedact([])
/** Zero-width blanks, a soft hyphen, a joiner, a mark of direction, a selector, and how JSON, addresses and heads of HTTP have them. */
const BREAKS = [
  '\u200b',
  '\ufeff',
  '\u00ad',
  '\u200d',
  '\u202e',
  '\ufe0f',
  '\u2060\u200b',
  '\\u200b',
  '%E2%80%8B',
  '\u00e2\u0080\u008b',
  '%ef%bb%bf',
]

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

describe('a configured secret is taken out wherever it stands', () => {
  const SECRET = 'hunter/2 "of" <ours>+zö'
  const redactSecret = createRedact([SECRET])

  test.each(Object.entries(ENCODINGS))('%s', (_encoding, encode) => {
    const clean = redactSecret(`user ${encode(SECRET)} is blocked (${encode(SECRET)})`)
    expect(leaksIn(clean, { SECRET })).toEqual([])
    expect(clean).toMatch(/^user \S*\[redacted\]\S* is blocked \(\S*\[redacted\]\S*\)$/)
  })

  test('whatever it looks like', () => {
    expect(createRedact(['hunter2'])('user hunter2 is blocked (hunter2)')).toBe(
      'user [redacted] is blocked ([redacted])',
    )
  })

  test.each(Object.entries(ENCODINGS))(
    '%s, where the text was cut in the middle of it',
    (_encoding, encode) => {
      const text = `a word ${encode(SECRET)}`
      for (let cut = 1; cut < encode(SECRET).length - 4; cut++) {
        expect(leaksIn(redactSecret(text.slice(0, -cut)), { SECRET })).toEqual([])
      }
    },
  )

  test('where it stands across the bound of what is written', () => {
    for (let before = REDACTED_LENGTH_MAX - SECRET.length; before < REDACTED_LENGTH_MAX; before++) {
      expect(redactSecret(`${'.'.repeat(before)}${SECRET}`)).not.toContain('hun')
    }
  })

  test.each(Object.entries(ENCODINGS))('%s, where invisible characters break it', (_encoding, encode) => {
    for (const breaks of BREAKS) {
      const form = encode(SECRET)
      for (let at = 1; at < form.length; at++) {
        const broken = form.slice(0, at) + breaks + form.slice(at)
        expect(leaksIn(redactSecret(`user ${broken} is blocked`), { SECRET })).toEqual([])
      }
      const apart = Array.from(form).join(breaks)
      expect(redactSecret(`user ${apart} is blocked`)).toContain('[redacted]')
    }
  })

  test('and not the ordinary words that a short one would be found in', () => {
    expect(createRedact(['on', ''])('once upon a time')).toBe('once upon a time')
  })
})

test.each(BREAKS)('a key that nobody configured is redacted beyond a break: %j', (breaks) => {
  const clean = redact(`Incorrect API key provided: sk-proj-abcd${breaks}EFGH1234567890${breaks}xyz.`)
  expect(clean).toBe('Incorrect API key provided: [redacted].')
})

test('invisible characters that break no secret stay', () => {
  const text = 'The team \u{1f469}\u200d\u{1f4bb} said: \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645'
  expect(redact(text)).toBe(text)
})

test('what says what went wrong stays', () => {
  const text = 'The model gpt-5 is overloaded (503), retry in 20 s'
  expect(redact(text)).toBe(text)
})

test('an endless detail is cut', () => {
  expect(redact('x '.repeat(10_000)).length).toBeLessThanOrEqual(REDACTED_LENGTH_MAX)
})
