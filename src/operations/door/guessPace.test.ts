import { expect, test } from 'bun:test'
import { FORGIVEN_AFTER_MS, WRONG_TOKENS_MAX, createGuessPace, networkOf } from './guessPace.ts'

function paceAt(start: number) {
  const clock = { now: start }
  return { clock, pace: createGuessPace(() => clock.now) }
}

/** How many of so many guesses at once are looked at. */
function looked(pace: ReturnType<typeof createGuessPace>, guesses: number, place = 'a'): number {
  return Array.from({ length: guesses }, () => pace.take(place)).filter((wait) => wait === 0).length
}

test('a place may try some tokens at once, and then one every few seconds', () => {
  const { clock, pace } = paceAt(1_000)
  expect(looked(pace, 100)).toBe(WRONG_TOKENS_MAX)
  expect(pace.take('a')).toBe(FORGIVEN_AFTER_MS)
  clock.now += FORGIVEN_AFTER_MS - 1
  expect(pace.take('a')).toBe(1)
  clock.now += 1
  expect(looked(pace, 100)).toBe(1)
  clock.now += 1_000 * FORGIVEN_AFTER_MS
  expect(looked(pace, 100)).toBe(WRONG_TOKENS_MAX)
})

test('what was right does not count', () => {
  const { pace } = paceAt(0)
  for (let i = 0; i < 100; i++) {
    expect(pace.take('a')).toBe(0)
    pace.giveBack('a')
  }
  expect(looked(pace, 100)).toBe(WRONG_TOKENS_MAX)
})

test('one place does not slow another', () => {
  const { pace } = paceAt(0)
  looked(pace, 100, 'a')
  expect(looked(pace, 100, 'b')).toBe(WRONG_TOKENS_MAX)
})

test('a clock that is set back by a day locks nobody out for longer than a minute', () => {
  const { clock, pace } = paceAt(86_400_000)
  looked(pace, 100)
  clock.now = 0
  expect(pace.take('a')).toBeLessThanOrEqual(WRONG_TOKENS_MAX * FORGIVEN_AFTER_MS)
  clock.now += WRONG_TOKENS_MAX * FORGIVEN_AFTER_MS
  expect(pace.take('a')).toBe(0)
})

test.each([
  [null, 'unknown'],
  ['203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('the place of %p is %p', (address, place) => {
  expect(networkOf(address)).toBe(place)
})
