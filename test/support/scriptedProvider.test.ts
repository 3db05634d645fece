import { afterEach, expect, test } from 'bun:test'
import OpenAI from 'openai'
import {
  type Script,
  type ScriptedProvider,
  createGate,
  cutAfter,
  hang,
  inTurn,
  openaiError,
  piecesOf,
  raw,
  refuse,
  reset,
  respond,
  sse,
  startScriptedProvider,
  stream,
  streams,
} from './scriptedProvider.ts'

let provider: ScriptedProvider | undefined
afterEach(() => provider?.stop())

async function play(script: Script): Promise<ScriptedProvider> {
  provider = await startScriptedProvider(script)
  return provider
}

function sdk(at: ScriptedProvider): OpenAI {
  return new OpenAI({ baseURL: at.baseUrl, apiKey: 'sk-scripted', maxRetries: 0 })
}

function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  )
}

const QUESTION = { model: 'm', messages: [{ role: 'user' as const, content: 'Hi' }] }

test('the official SDK reads a streamed answer, with the usage it asked for', async () => {
  const client = sdk(await play(streams('Hello', ' wörld')))
  const chunks = []
  const streamed = await client.chat.completions.create({
    ...QUESTION,
    stream: true,
    stream_options: { include_usage: true },
  })
  for await (const chunk of streamed) chunks.push(chunk)
  expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('Hello wörld')
  expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop')
  expect(chunks.at(-1)?.usage?.total_tokens).toBe(21)
})

test('no usage chunk is sent unasked, and n choices are interleaved', async () => {
  const client = sdk(await play(streams('a', 'b')))
  const texts = ['', '']
  const streamed = await client.chat.completions.create({ ...QUESTION, n: 2, stream: true })
  for await (const chunk of streamed) {
    expect(chunk.usage).toBeUndefined()
    const [choice] = chunk.choices
    if (choice) texts[choice.index] += choice.delta.content ?? ''
  }
  expect(texts).toEqual(['ab', 'ab'])
})

test('the same script answers a call that is not streamed with one body', async () => {
  const at = await play(streams('Hello', ' world'))
  const answer = await sdk(at).chat.completions.create(QUESTION)
  expect(answer.choices[0]?.message.content).toBe('Hello world')
  expect(at.requests[0]).toMatchObject({
    method: 'POST',
    path: '/v1/chat/completions',
    body: QUESTION,
    headers: { authorization: 'Bearer sk-scripted' },
  })
})

test('acts follow each other by request', async () => {
  const at = await play(
    inTurn(openaiError(429, { code: 'slow_down' }, { 'retry-after': '2' }), respond({ body: 'ok' })),
  )
  const first = await fetch(at.origin)
  expect([first.status, first.headers.get('retry-after')]).toEqual([429, '2'])
  expect(await first.json()).toMatchObject({ error: { code: 'slow_down', param: null } })
  expect(await (await fetch(at.origin)).text()).toBe('ok')
  expect(await (await fetch(at.origin)).text()).toBe('ok')
})

test('a gate holds the stream until the test opens it', async () => {
  const gate = createGate()
  const at = await play(stream(['one', gate, 'two']))
  const body = (await fetch(at.origin)).body?.getReader()
  const decode = new TextDecoder()
  expect(decode.decode((await body?.read())?.value)).toBe('one')
  await gate.reached
  gate.open()
  expect(decode.decode((await body?.read())?.value)).toBe('two')
})

test('a peer that leaves in mid-answer is seen as aborted, one that leaves after it is not', async () => {
  const at = await play(stream(['one', hang()]))
  const leaving = new AbortController()
  await fetch(at.origin, { signal: leaving.signal })
  expect(at.connectionsOpen).toBe(1)
  leaving.abort()
  await at.abortSeen()
  await at.connectionClosed()
  at.play(respond({ body: 'whole' }))
  await (await fetch(at.origin, { headers: { connection: 'close' } })).text()
  expect(at.aborted).toBe(1)
})

test('cut, reset and refused calls fail at the caller', async () => {
  const at = await play(cutAfter(200, respond({ body: 'x'.repeat(1000) })))
  const cut = await fetch(at.origin)
  expect(await failureOf(cut.text())).toBeInstanceOf(Error)
  at.play(reset())
  expect(await failureOf(fetch(at.origin))).toBeInstanceOf(Error)
  await at.until(({ connectionsOpen }) => connectionsOpen === 0)
  expect(at.aborted).toBe(0)
  expect(await failureOf(fetch(refuse()))).toBeInstanceOf(Error)
})

test('raw pieces may split a character', async () => {
  const event = sse('ö', { newline: '\r\n' })
  expect(event).toBe('data: ö\r\n\r\n')
  const head = `HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(event)}\r\n\r\n`
  const at = await play(raw(head, ...piecesOf(event, 1)))
  expect(await (await fetch(at.origin)).text()).toBe(event)
})
