import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { estimateTokens } from '../core/tokenEstimate.ts'
import { createTokenizer, startTokenizerThread } from './tokenizer.ts'

// On a busy machine the tables alone may take many seconds to load.
setDefaultTimeout(120_000)
const tokenizer = createTokenizer({ timeoutMs: 100_000 })
afterAll(() => tokenizer.close())

test('texts are counted as o200k counts them', async () => {
  const counts = await Promise.all(
    ['', 'Hello', 'Hello, world!', 'antidisestablishmentarianism'].map((text) => tokenizer.count(text)),
  )
  expect(counts).toEqual([0, 1, 4, 6])
})

test('a long text is counted in slices, and comes out as if it were not', async () => {
  const prose = 'The morning ferry crosses the strait in forty minutes, if the wind is kind.\n\n'.repeat(300)
  expect(await tokenizer.count(prose)).toBe(countTokens(prose))
  const ideographs = '漢字仮名交じり文'.repeat(1_000)
  const count = countTokens(ideographs)
  expect(Math.abs((await tokenizer.count(ideographs)) - count)).toBeLessThan(count / 100)
  expect(await tokenizer.count('😀'.repeat(3_000))).toBe(3_000)
})

test('a short text does not wait for long ones, and both are counted', async () => {
  const counted: string[] = []
  const long = '👨‍👩‍👧‍👦'.repeat(20_000)
  const first = tokenizer
    .count(long)
    .then((count) => counted.push(`long ${count === countTokens('👨‍👩‍👧‍👦') * 20_000}`))
  const second = tokenizer.count(`${long} and more`).then(() => counted.push('longer'))
  await tokenizer.count('Hello, world!').then(() => counted.push('short'))
  expect(counted).toEqual(['short'])
  await Promise.all([first, second])
  expect(counted.map((one) => one.split(' ')[0])).toEqual(['short', 'long', 'longer'])
})

test('a long run without a space is counted in time', async () => {
  const letters = Array.from({ length: 100_000 }, (_, i) =>
    String.fromCharCode(97 + ((i * i * 7 + i) % 26)),
  ).join('')
  // Beyond its time limit it would be the estimate.
  expect(await tokenizer.count(letters)).not.toBe(estimateTokens(letters))
})

test('text that looks like a special token is counted as text', async () => {
  expect(await tokenizer.count('<|endoftext|>')).toBeGreaterThan(1)
})

test('a closed tokenizer answers what was waiting with the estimate, and starts again when asked', async () => {
  const short = createTokenizer({ timeoutMs: 100_000 })
  const waiting = short.count('Hello, world!')
  short.close()
  expect(await waiting).toBe(estimateTokens('Hello, world!'))
  expect(await short.count('Hello, world!')).toBe(4)
  short.close()
})

test('a count that takes too long is estimated', async () => {
  const hasty = createTokenizer({ timeoutMs: 1 })
  // Loading the tables alone takes longer than a millisecond.
  expect(await hasty.count('Hello, world!')).toBe(estimateTokens('Hello, world!'))
  hasty.close()
})

test('more text than may wait is estimated at once', async () => {
  const text = 'word '.repeat(4 * 2 ** 20)
  expect(await tokenizer.count(text)).toBe(estimateTokens(text))
})

test('without work the thread ends by itself, and a new one starts when needed', async () => {
  const ended: Promise<unknown>[] = []
  const brief = createTokenizer({
    idleMs: 1,
    timeoutMs: 100_000,
    startThread() {
      const thread = startTokenizerThread()
      ended.push(new Promise((resolve) => thread.addEventListener('close', resolve)))
      return thread
    },
  })
  expect(await brief.count('Hello')).toBe(1)
  await Promise.all(ended)
  expect(await brief.count('Hello, world!')).toBe(4)
  expect(ended).toHaveLength(2)
  brief.close()
})

test('a thread that dies leaves an estimate, and the next count gets a new thread', async () => {
  const scripts = ['throw new Error("the tables are broken")', 'process.exit(1)']
  let started = 0
  const frail = createTokenizer({
    timeoutMs: 100_000,
    startThread() {
      const script = scripts[started++]
      return script === undefined ? startTokenizerThread() : new Worker(`data:text/javascript,${script}`)
    },
  })
  expect(await frail.count('Hello, world!')).toBe(estimateTokens('Hello, world!'))
  expect(await frail.count('Hello, world!')).toBe(estimateTokens('Hello, world!'))
  expect(await frail.count('Hello, world!')).toBe(4)
  frail.close()
})
