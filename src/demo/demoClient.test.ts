import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { createTokenizer } from '../tokens/tokenizer.ts'
import { CallAborted, type HttpRequest, type HttpResponse } from '../upstream/http.ts'
import { createDemoClient } from './demoClient.ts'
import { ENDINGS, OBJECTS, OPENINGS, SUBJECTS, VERBS } from './phrases.ts'
import { speech, tokensOf } from './speech.ts'

// On a busy machine the tables alone may take many seconds to load.
setDefaultTimeout(120_000)
const tokenizer = createTokenizer({ timeoutMs: 100_000 })
afterAll(() => tokenizer.close())
const demo = createDemoClient({
  tokenizer,
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      signal?.addEventListener('abort', () => (clearTimeout(timer), resolve()))
    }),
  now: () => 1_763_600_000_000,
})
const messages = [{ role: 'user', content: 'Tell me something.' }]

function ask(body: object, more: Partial<HttpRequest> = {}): Promise<HttpResponse> {
  return demo.request({
    method: 'POST',
    url: new URL('demo://local/v1/chat/completions'),
    headers: { 'x-demo-tokens-per-second': '0' },
    body: JSON.stringify({ model: 'chat', messages, ...body }),
    timeouts: { connectMs: 1000, firstEventMs: 1000, idleMs: 1000, totalMs: 60_000 },
    ...more,
  })
}

async function textOf(response: HttpResponse): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const decoder = new TextDecoder()
  let text = ''
  response.consume({
    data: (bytes) => (text += decoder.decode(bytes, { stream: true })),
    end: () => resolve(text),
    fail: reject,
  })
  return promise
}

interface Completion {
  readonly created: number
  readonly choices: { index: number; message: { content: string }; finish_reason: string }[]
  readonly usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number }
}

async function complete(body: object, more?: Partial<HttpRequest>): Promise<Completion> {
  return JSON.parse(await textOf(await ask(body, more))) as Completion
}

interface Chunk {
  readonly choices: {
    index: number
    delta: { role?: string; content?: string }
    finish_reason: string | null
  }[]
  readonly usage?: Completion['usage'] | null
}

async function streamed(body: object): Promise<Chunk[]> {
  const text = await textOf(await ask({ stream: true, ...body }))
  expect(text).toEndWith('data: [DONE]\n\n')
  return text
    .split('\n\n')
    .slice(0, -2)
    .map((event) => JSON.parse(event.slice('data: '.length)) as Chunk)
}

test('everything the demo can say is one token per piece', async () => {
  const phrases = [...OPENINGS, ...SUBJECTS, ...VERBS, ...OBJECTS, ...ENDINGS]
  const capitalised = [...OPENINGS, ...SUBJECTS].map(
    (phrase) => phrase.charAt(0).toUpperCase() + phrase.slice(1),
  )
  const pieces = new Set(
    [...capitalised, ...[...phrases, ...capitalised].map((p) => ` ${p}`)].flatMap(tokensOf),
  )
  const counts = await Promise.all(
    [...pieces].map(async (piece) => ({ piece, count: await tokenizer.count(piece) })),
  )
  expect(counts.filter(({ count }) => count !== 1)).toEqual([])
  for (let seed = 0; seed < 200; seed++) {
    const said = [...speech(seed)]
    expect({ seed, count: await tokenizer.count(said.join('')) }).toEqual({ seed, count: said.length })
  }
})

test('the same request gives the same answer, and another prompt another one', async () => {
  const first = await complete({})
  expect(await complete({})).toEqual(first)
  const other = await complete({ messages: [{ role: 'user', content: 'Something else.' }] })
  expect(other.choices[0]?.message.content).not.toBe(first.choices[0]?.message.content)
})

test('usage is what the tokenizer counts', async () => {
  const { choices, usage } = await complete({ n: 3 })
  const spoken = await Promise.all(choices.map(({ message }) => tokenizer.count(message.content)))
  expect(usage.completion_tokens).toBe(spoken.reduce((a, b) => a + b))
  expect(usage.prompt_tokens).toBe((await tokenizer.count('Tell me something.')) + 4 + 3)
  expect(usage.total_tokens).toBe(usage.prompt_tokens + usage.completion_tokens)
})

test('max_tokens cuts the answer there, with finish_reason length', async () => {
  const { choices, usage } = await complete({ max_tokens: 7 })
  expect(choices[0]?.finish_reason).toBe('length')
  expect(usage.completion_tokens).toBe(7)
  expect(await tokenizer.count(choices[0]?.message.content ?? '')).toBe(7)
})

test('a limit that the answer does not reach ends it with stop', async () => {
  const free = await complete({})
  const { choices } = await complete({ max_completion_tokens: free.usage.completion_tokens })
  expect(choices).toEqual(free.choices)
  expect(choices[0]?.finish_reason).toBe('stop')
})

test('a stop sequence is not said, and nothing after it', async () => {
  const whole = (await complete({})).choices[0]?.message.content ?? ''
  const word = whole.slice(8, 14)
  const { choices } = await complete({ stop: ['never said', word] })
  expect(choices[0]?.finish_reason).toBe('stop')
  expect(choices[0]?.message.content).toBe(whole.slice(0, whole.indexOf(word)))
})

test('n choices differ from each other', async () => {
  const { choices } = await complete({ n: 4 })
  expect(choices.map(({ index }) => index)).toEqual([0, 1, 2, 3])
  expect(new Set(choices.map(({ message }) => message.content)).size).toBe(4)
})

test('a stream says the same as the whole answer: role first, then text, then the finish', async () => {
  const whole = await complete({ n: 2 })
  const chunks = await streamed({ n: 2 })
  for (const { index, message, finish_reason } of whole.choices) {
    const own = chunks.flatMap(({ choices }) => choices.filter((choice) => choice.index === index))
    expect(own[0]?.delta).toEqual({ role: 'assistant', content: '', refusal: null } as object)
    expect(own.map(({ delta }) => delta.content ?? '').join('')).toBe(message.content)
    expect(own.at(-1)).toMatchObject({ delta: {}, finish_reason })
    expect(own.slice(0, -1).every((choice) => choice.finish_reason === null)).toBe(true)
  }
  expect(chunks.some((chunk) => 'usage' in chunk)).toBe(false)
})

test('with include_usage the last chunk holds it and has no choices', async () => {
  const whole = await complete({})
  const chunks = await streamed({ stream_options: { include_usage: true } })
  expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage })
  expect(chunks.slice(0, -1).every((chunk) => chunk.usage === null && chunk.choices.length === 1)).toBe(true)
})

test('an answer of any length can be asked for', async () => {
  const headers = { 'x-demo-output-tokens': '500', 'x-demo-tokens-per-second': '0' }
  const { choices, usage } = await complete({}, { headers })
  expect(usage.completion_tokens).toBe(500)
  expect(choices[0]?.finish_reason).toBe('stop')
})

test('the pace is kept', async () => {
  const pauses: number[] = []
  const paced = createDemoClient({ tokenizer, now: () => 0, sleep: async (ms) => void pauses.push(ms) })
  const response = await paced.request({
    method: 'POST',
    url: new URL('demo://local/v1/chat/completions'),
    headers: { 'x-demo-tokens-per-second': '200' },
    body: JSON.stringify({ messages, stream: true, max_tokens: 3 }),
    timeouts: { connectMs: 1000, firstEventMs: 1000, idleMs: 1000, totalMs: 60_000 },
  })
  await textOf(response)
  expect(pauses.filter((ms) => ms === 5).length).toBeGreaterThanOrEqual(3)
})

test('a paused answer waits, and an aborted one is silent', async () => {
  const response = await ask({ stream: true })
  const seen: string[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  let paused = true
  response.pause()
  response.consume({
    data() {
      seen.push(paused ? 'data while paused' : 'data')
      response.abort()
      resolve()
    },
    end: () => seen.push('end'),
    fail: () => seen.push('fail'),
  })
  await new Promise((next) => setTimeout(next, 5))
  paused = false
  response.resume()
  await promise
  await new Promise((next) => setTimeout(next, 5))
  expect(seen).toEqual(['data'])
})

test('the signal ends a call before and during its answer', async () => {
  const gone = AbortSignal.abort()
  const refused: unknown = await ask({}, { signal: gone }).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(CallAborted)
  const controller = new AbortController()
  const response = await ask({ stream: true }, { signal: controller.signal, headers: {} })
  const { promise, resolve } = Promise.withResolvers<unknown>()
  response.consume({ data: () => controller.abort(), end: () => resolve('ended'), fail: resolve })
  expect(await promise).toBeInstanceOf(CallAborted)
})

test('what is no chat completion request is refused as OpenAI does', async () => {
  const bad = await ask({}, { body: 'no json' })
  expect(bad.status).toBe(400)
  expect(JSON.parse(await textOf(bad))).toMatchObject({ error: { type: 'invalid_request_error' } })
  expect((await ask({}, { url: new URL('demo://local/v1/embeddings') })).status).toBe(404)
})
