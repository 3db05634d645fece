import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import * as fc from 'fast-check'
import { chatRequest } from '../../test/support/chatSamples.ts'
import { promptSizeOf } from '../core/promptSize.ts'
import { estimateTokens } from '../core/tokenEstimate.ts'
import { MEASURE_PER_TOKEN, measureTokens } from '../core/tokenMeasure.ts'
import { SAMPLES } from '../../test/support/estimateSamples.ts'
import { createTokenizer } from './tokenizer.ts'

// Here and not beside the estimate: `core` does not know the tokenizer.
// On a busy machine the tables alone may take many seconds to load.
setDefaultTimeout(120_000)
const tokenizer = createTokenizer({ timeoutMs: 100_000 })
afterAll(() => tokenizer.close())

const english = SAMPLES.English ?? ''

for (const [name, sample] of Object.entries(SAMPLES))
  test(`the estimate is at least the count for ${name}`, async () => {
    expect(estimateTokens(sample)).toBeGreaterThanOrEqual(await tokenizer.count(sample))
  })

for (const [name, sample] of Object.entries(SAMPLES))
  test(`the measure of a growing answer is near the count for ${name}`, async () => {
    const measured = measureTokens(sample) / MEASURE_PER_TOKEN
    expect(measured / (await tokenizer.count(sample))).toBeWithin(0.75, 1.45)
  })

test('a text is measured the same in pieces, wherever it is cut', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat(), (text, cut) => {
      const at = text.length === 0 ? 0 : cut % text.length
      const rest = measureTokens(text.slice(at), at === 0 ? 0 : text.charCodeAt(at - 1))
      expect(measureTokens(text.slice(0, at)) + rest).toBe(measureTokens(text))
    }),
  )
})

test('the estimate is less than twice the count for English', async () => {
  expect(estimateTokens(english)).toBeLessThan(2 * (await tokenizer.count(english)))
})

test('any passage of natural text is estimated at its count or more', async () => {
  const texts = Object.values(SAMPLES)
  const passage = fc
    .tuple(fc.constantFrom(...texts), fc.nat(), fc.nat())
    .map(([text, start, length]) => wholeWords(text, start % text.length, 40 + (length % 200)))
  await fc.assert(
    fc.asyncProperty(fc.array(passage, { minLength: 2, maxLength: 6 }), async (passages) => {
      const text = passages.join('\n')
      expect(estimateTokens(text)).toBeGreaterThanOrEqual(await tokenizer.count(text))
    }),
    { numRuns: 200 },
  )
})

/** A passage between two spaces: half a word has more tokens than a word. */
function wholeWords(text: string, start: number, length: number): string {
  const from = text.lastIndexOf(' ', start) + 1
  const to = text.indexOf(' ', start + length)
  return text.slice(from, to < 0 ? text.length : to)
}

const DENSE: readonly (readonly [string, string])[] = [
  ['capitals that no word has side by side', 'JZ'],
  ['letters of two scripts in turn', '\u0430q'],
  ['rare letters', 'qzxjkvwq'],
  ['random letters', 'xkqfjwbzvhgpmtdcylnrsoueia'],
  ['random capitals', 'XKQFJWBZVHGPMTDCYLNRSOUEIA'],
  ['capitals and small letters in turn', 'qQzZxXjJ'],
]
for (const [name, unit] of DENSE) {
  test(`the estimate is at least the count for ${name}`, async () => {
    const text = unit.repeat(Math.ceil(2_000 / unit.length))
    expect(estimateTokens(text)).toBeGreaterThanOrEqual(await tokenizer.count(text))
  })
}

test('the estimate never exceeds what bytes alone could hold, and is 0 only for nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const estimate = estimateTokens(text)
      expect(estimate).toBeLessThanOrEqual(2 * Buffer.byteLength(text) + 1)
      expect(estimate === 0).toBe(text === '')
    }),
  )
})

test('more text is never estimated at less', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (text, more) => {
      expect(estimateTokens(text + more)).toBeGreaterThanOrEqual(estimateTokens(text))
    }),
  )
})

test('the estimate is the same as the real count for a real prompt, give or take the margin', async () => {
  const messages = Object.values(SAMPLES).map((content) => ({ role: 'user' as const, content }))
  let counted = 0
  for (const { content } of messages) counted += (await tokenizer.count(content)) + 4
  const estimated = promptSizeOf(chatRequest({ messages })).textTokens
  expect(estimated).toBeGreaterThanOrEqual(counted)
  expect(estimated).toBeLessThan(2 * counted)
})

test('text that stands in JSON is estimated at its count as JSON or more', async () => {
  for (const [name, sample] of Object.entries(SAMPLES)) {
    const tools = [
      {
        type: 'function',
        function: {
          name,
          description: sample,
          parameters: { enum: [sample, 1e-7, 12_345_678_901_234, true] },
        },
      },
    ]
    const bare = promptSizeOf(chatRequest({ tools: [] })).textTokens
    const estimated = promptSizeOf(chatRequest({ tools })).textTokens - bare
    expect(estimated).toBeGreaterThanOrEqual(await tokenizer.count(JSON.stringify(tools)))
  }
})
