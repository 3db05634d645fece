import { describe, expect, test } from 'bun:test'
import { chatRequest } from '../../../test/support/chatSamples.ts'
import type { ChatRequest } from '../../core/chat/request.ts'
import { promptSizeOf } from '../../core/promptSize.ts'
import { estimateTokens } from '../../core/tokenEstimate.ts'
import { testModel, testRoute } from '../../../test/support/testRoute.ts'
import { fitContext } from './fitContext.ts'
import type { Plan } from '../plan/plan.ts'
import { promptOf } from '../../../test/support/testPlan.ts'

/** A counter for which every five characters are a token, and the texts that it was given. */
function counter() {
  const counted: string[] = []
  return {
    counted,
    count(text: string): Promise<number> {
      counted.push(text)
      return Promise.resolve(Math.ceil(text.length / 5))
    },
  }
}

/** A text of so many tokens by that counter. */
function words(tokens: number): string {
  return 'word '.repeat(tokens)
}

const SMALL = testModel({ id: 'acme/small', contextLength: 1_000 })
const LARGE = testModel({ id: 'acme/large', contextLength: 2_000 })

function planned(request: Partial<ChatRequest> | string, models = [SMALL]): Plan<ChatRequest> {
  const more =
    typeof request === 'string' ? { messages: [{ role: 'user' as const, content: request }] } : request
  const full = chatRequest(more)
  const routes = models.map((model) => testRoute({ model }))
  return { request: full, prompt: promptOf(full, promptSizeOf(full)), model: models[0] ?? SMALL, routes }
}

async function fitting(request: Partial<ChatRequest> | string, models = [SMALL]): Promise<readonly string[]> {
  const verdict = await fitContext(planned(request, models), counter())
  return verdict.ok ? verdict.routes.map(({ model }) => model.id) : []
}

describe('a prompt above the context', () => {
  test('is refused, with both numbers', async () => {
    const verdict = await fitContext(planned(words(1_500)), counter())
    expect(verdict.ok ? undefined : verdict.refusal).toMatchObject({
      code: 'invalid_request',
      param: 'messages',
    })
    expect(verdict.ok ? '' : verdict.refusal.message).toMatch(
      /\b1500 tokens\b.*"acme\/small" can read 1000\b/,
    )
  })

  test('goes to the models that can read it, and names the longest where none can', async () => {
    expect(await fitting(words(1_500), [SMALL, LARGE])).toEqual(['acme/large'])
    const verdict = await fitContext(planned(words(9_000), [LARGE, SMALL]), counter())
    expect(verdict.ok ? '' : verdict.refusal.message).toContain('"acme/large" can read 2000')
  })

  test('is one of a single token more', async () => {
    expect(await fitting(words(1_000))).toEqual(['acme/small'])
    expect(await fitting(words(1_001))).toEqual([])
  })

  test('is sent where it could not be counted: an estimate refuses nobody', async () => {
    const tokens = { count: (text: string) => Promise.resolve(estimateTokens(text)) }
    expect((await fitContext(planned(words(2_000)), tokens)).ok).toBe(true)
  })

  test('is not counted at all where it is many times too long', async () => {
    const tokens = counter()
    const verdict = await fitContext(planned(words(20_000)), tokens)
    expect(verdict.ok ? undefined : verdict.refusal).toMatchObject({ param: 'messages' })
    expect(tokens.counted).toEqual([])
  })

  test('is not counted to its end when it is far too long', async () => {
    const tokens = counter()
    const verdict = await fitContext(planned('word '.repeat(2 ** 20)), tokens)
    expect(verdict.ok).toBe(false)
    expect(tokens.counted.join('').length).toBeLessThan(2 ** 21)
  })
})

test('a prompt of less than four fifths of the context is not counted', async () => {
  const tokens = counter()
  expect((await fitContext(planned(words(300)), tokens)).ok).toBe(true)
  expect(tokens.counted).toEqual([])
})

test('images and audio are not held against the caller: what is known of them is the most that they cost', async () => {
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
  const audio = { type: 'input_audio', input_audio: { data: 'A'.repeat(100_000), format: 'wav' } }
  const content = [...Array.from({ length: 50 }, () => image), audio, { type: 'text', text: words(600) }]
  expect(await fitting({ messages: [{ role: 'user', content }] })).toEqual(['acme/small'])
})

test('a prompt with a document is sent: how much of it is read is for its provider to say', async () => {
  const file = { type: 'file', file: { file_id: 'f' } }
  const content = [file, { type: 'text', text: words(5_000) }]
  expect(await fitting({ messages: [{ role: 'user', content }] })).toEqual(['acme/small'])
})
