import { gzipSync } from 'node:zlib'
import { chatHead, rawCaller } from '../../support/rawCaller.ts'

/** One tenant's ways to harm another: each is done again and again, beside all others. */
export interface Way {
  readonly name: string
  /** Once; ends within `ENDS_WITHIN_MS`. Gives what the gateway answered, for the table. */
  run(target: Target): Promise<string>
}

export interface Target {
  readonly url: string
  /** Of one workspace. The last may make one request a minute, the one before has next to no concurrency. */
  readonly keys: readonly string[]
  readonly model: string
}

const ENDS_WITHIN_MS = 4_000
const MIB = 1024 * 1024

/** What the provider plays for a prompt that asks for it: `provider.ts`. */
export const PLAYS = [
  'account words',
  'rate limit',
  'server error',
  'refused image',
  'malformed',
  'policy',
  'cut',
  'silent',
  'large frame',
  'endless',
  'slow',
  'reasons alone',
] as const
export type Play = (typeof PLAYS)[number]

/** A prompt for which the provider plays this. */
export function promptFor(play: Play): string {
  return `hostile: ${play}`
}

/** A model of which no other play has opened the circuit of the hostile workspace. */
export function modelOf(play: Play): string {
  return `hostile/${play.replaceAll(' ', '-')}`
}

const BOUND_TO_FAIL = ['out of credits', 'insufficient_quota', 'invalid api key', 'rate limit exceeded']

export const WAYS: readonly Way[] = [
  ...PLAYS.map((play) => way(play, (target) => chat(target, { prompt: promptFor(play), stream: true }))),
  ...PLAYS.map((play) =>
    way(`${play}, on a model of its own`, (target) =>
      chat({ ...target, model: modelOf(play) }, { prompt: promptFor(play), stream: true }),
    ),
  ),
  ...PLAYS.map((play) =>
    way(`${play}, asked whole`, (target) => chat(target, { prompt: promptFor(play), max_tokens: 100 })),
  ),
  ...BOUND_TO_FAIL.map((words) =>
    way(`words: ${words}`, (target) =>
      chat(target, { prompt: promptFor('account words'), reasoning_effort: words }),
    ),
  ),
  way('many choices', (target) => chat(calm(target), { prompt: promptFor('slow'), n: 128 })),
  way('leaves at once', (target) => chat(calm(target), { prompt: promptFor('silent') }, 30)),
  way('leaves in mid-stream', (target) =>
    chat(calm(target), { prompt: promptFor('slow'), stream: true }, 150),
  ),
  way('a hold that grows', (target) => chat(calm(target), { prompt: promptFor('endless'), stream: true })),
  way('a hold that is never there', (target) => chat(target, { prompt: 'Hi', max_tokens: 1e6, n: 128 })),
  way('twins', twins),
  way('a used-up window', (target) => chat({ ...target, keys: target.keys.slice(-1) }, { prompt: 'Hi' })),
  way('no concurrency left', (target) =>
    chat({ ...target, keys: target.keys.slice(-2, -1) }, { prompt: promptFor('slow') }),
  ),
  way('a wrong key', (target) => chat({ ...target, keys: ['tg_wrong'] }, { prompt: 'Hi' })),
  way('an unknown path', ({ url, keys: [key] }) => get(`${url}/v1/${'x'.repeat(4_000)}`, key)),
  way('an unknown model of a megabyte', (target) =>
    chat({ ...target, model: 'm'.repeat(MIB) }, { prompt: 'Hi' }),
  ),
  way('a body that is no JSON', (target) => post(target, '{"model":')),
  way('deep JSON', (target) => post(target, '['.repeat(MIB))),
  way('wide JSON', (target) => post(target, `[${'{},'.repeat(MIB / 3)}{}]`)),
  way('tool arguments that are nested', (target) =>
    post(
      target,
      JSON.stringify({
        model: target.model,
        messages: [
          {
            role: 'assistant',
            tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '['.repeat(MIB) } }],
          },
        ],
      }),
    ),
  ),
  way('much text', (target) => chat(target, { prompt: 'hello wörld 你好 '.repeat(100_000) })),
  way('gzip of nothing', gzipOfNothing),
  way('a gzip bomb', (target) =>
    post(target, gzipSync(Buffer.alloc(64 * MIB, '[')), { 'content-encoding': 'gzip' }),
  ),
  way('a declared body that does not come', (target) => halfBody(target, 32 * MIB, 0)),
  way('a body byte by byte', (target) => halfBody(target, 1_000, 1)),
  way('a caller that does not read', notReading),
  way('idle connections', idleConnections),
  way('an upgrade', ({ url, keys: [key] }) =>
    get(`${url}/v1/chat/completions`, key, { connection: 'upgrade', upgrade: 'websocket' }),
  ),
  way('an odd head', oddHead),
  way('the pages', ({ url, keys: [key] }) => get(`${url}/openapi.json`, key)),
]

/** Another model than that of the failures. */
function calm(target: Target): Target {
  return { ...target, model: modelOf('slow') }
}

function way(name: string, run: Way['run']): Way {
  return { name, run }
}

type Body = Readonly<Record<string, unknown>> & { readonly prompt: string }

/** @param leaveMs when the caller hangs up */
function chat(target: Target, { prompt, ...body }: Body, leaveMs = ENDS_WITHIN_MS): Promise<string> {
  const messages = [{ role: 'user', content: prompt }]
  return post(target, JSON.stringify({ model: target.model, messages, ...body }), {}, leaveMs)
}

function post(
  { url, keys }: Target,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>> = {},
  leaveMs = ENDS_WITHIN_MS,
): Promise<string> {
  return statusOf(
    fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${oneOf(keys)}`, 'content-type': 'application/json', ...headers },
      body,
      signal: AbortSignal.timeout(leaveMs),
    }),
  )
}

function get(url: string, key = '', headers: Readonly<Record<string, string>> = {}): Promise<string> {
  const signal = AbortSignal.timeout(ENDS_WITHIN_MS)
  return statusOf(fetch(url, { headers: { authorization: `Bearer ${key}`, ...headers }, signal }))
}

async function statusOf(answering: Promise<Response>): Promise<string> {
  try {
    const response = await answering
    await response.arrayBuffer()
    return String(response.status)
  } catch {
    return 'left'
  }
}

function oneOf(keys: readonly string[]): string {
  return keys[Math.floor(Math.random() * Math.max(1, keys.length - 2))] ?? ''
}

async function twins(target: Target): Promise<string> {
  const headers = { 'idempotency-key': `twins-${Math.random()}` }
  const body = JSON.stringify({
    model: modelOf('slow'),
    messages: [{ role: 'user', content: promptFor('slow') }],
  })
  const one = { ...target, keys: target.keys.slice(0, 1) }
  const all = await Promise.all(Array.from({ length: 20 }, () => post(one, body, headers)))
  return [...new Set(all)].join(' ')
}

function portOf({ url }: Target): number {
  return Number(new URL(url).port)
}

async function gzipOfNothing(target: Target): Promise<string> {
  const caller = await rawCaller(portOf(target))
  caller.write(chatHead(oneOf(target.keys), 32 * MIB, 'content-encoding: gzip\r\n'))
  caller.write(gzipSync('').subarray(0, 10))
  // Empty stored blocks: bytes in, nothing out.
  const nothing = Buffer.from([0, 0, 0, 0xff, 0xff])
  for (let sent = 0; sent < 20; sent++) {
    caller.write(Buffer.concat(Array.from({ length: 13_000 }, () => nothing)))
    await Bun.sleep(20)
  }
  return ended(caller)
}

async function halfBody(target: Target, bytes: number, byteEach: number): Promise<string> {
  const caller = await rawCaller(portOf(target))
  caller.write(chatHead(oneOf(target.keys), bytes))
  for (let i = 0; i < 20; i++) {
    if (byteEach > 0) caller.write(' '.repeat(byteEach))
    await Bun.sleep(100)
  }
  return ended(caller)
}

async function notReading(target: Target): Promise<string> {
  const caller = await rawCaller(portOf(target))
  const body = JSON.stringify({
    model: modelOf('endless'),
    messages: [{ role: 'user', content: promptFor('endless') }],
    stream: true,
  })
  caller.write(chatHead(oneOf(target.keys), Buffer.byteLength(body)) + body)
  caller.stopReading()
  await Bun.sleep(2_000)
  return ended(caller)
}

async function idleConnections(target: Target): Promise<string> {
  const callers = await Promise.all(Array.from({ length: 50 }, () => rawCaller(portOf(target))))
  await Bun.sleep(1_000)
  for (const caller of callers) caller.close()
  return 'closed'
}

async function oddHead(target: Target): Promise<string> {
  const caller = await rawCaller(portOf(target))
  caller.write(
    'POST /v1/chat/completions HTTP/1.1\nhost: x\ncontent-length: 5\ntransfer-encoding: chunked\n\n',
  )
  await Bun.sleep(200)
  return ended(caller)
}

function ended(caller: { statuses(): number[]; close(): void }): string {
  caller.close()
  return caller.statuses().join(' ') || 'closed'
}
