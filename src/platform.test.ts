import { expect, test } from 'bun:test'
import { createPlatform } from './platform.ts'

const { sleep, hash } = createPlatform()
/** Longer than any test may take. */
const LONG_MS = 60 * 60_000

test('a sleep ends with its time, or with its signal', async () => {
  await sleep(1)
  await sleep(LONG_MS, AbortSignal.abort())
  const end = new AbortController()
  const slept = sleep(LONG_MS, end.signal)
  end.abort()
  await slept
})

test('ids are of the time of the clock that was given', () => {
  const platform = createPlatform(() => 0)
  expect(platform.now()).toBe(0)
  expect(platform.ids.workspace()).toStartWith('ws_0000000000')
})

test('a hash is SHA-256 in lowercase hexadecimal', () => {
  expect(hash('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
})
