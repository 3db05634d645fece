import { describe, expect, test } from 'bun:test'
import { readFile, writeFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import {
  type GatewayProcess,
  type ProcessCustomer,
  type ProcessWorld,
  startProcessWorld,
} from '../support/processWorld.ts'
import { type RawCaller, rawCaller } from '../support/rawCaller.ts'
import { TEST_LIMIT_MS, repeats, scaled } from '../support/scale.ts'
import { type Act, type ScriptedProvider, answers, raw, streams } from '../support/scriptedProvider.ts'
import { MODEL, standardConfig, standardModel } from '../support/world.ts'
import { PROCESS_ENGINES } from './engines.ts'

const MIB = 1024 * 1024
/** The largest body that the standard configuration takes. */
const LARGEST = 32 * MIB
/** More text than any model reads: millions of tokens. */
const LARGEST_TEXT = 16 * MIB
const MEMORY_ABOVE_IDLE_MAX_MIB = 256
/** Of a machine that does something else at the same time. */
const NOISE = 2
/** What the machine did to us once is not what an attack does: that it does each time. */
const TRIES_MAX = 3
/** On a machine as fast as the one that this was written on. */
const STALL_MS_MAX = 50
/** How long parsing 8 MiB of JSON took there. */
const REFERENCE_MS = 9
const AT_ONCE = scaled({ short: 4, long: 20 })
const ROUNDS = { short: 1, long: 3, share: 0.1 }
/** How often somebody who does no harm calls meanwhile. */
const BYSTANDER_PAUSE_MS = 10
const POLL_MS = 20
/** Each attack is over within seconds. */
const ENDS_WITHIN_MS = 90_000
const METRICS_WITHIN_MS = 5_000

/** Something that one caller, or a provider, does to stall, swell or strand the gateway. */
interface Attack {
  readonly name: string
  /** Default: an answer as it should be. */
  readonly provider?: () => Act
  run(target: Target): Promise<unknown>
}

interface Target {
  readonly world: ProcessWorld
  readonly gateway: GatewayProcess
  readonly customer: ProcessCustomer
  /** Of a sick provider of its own, so that no other attack has parked it already. */
  readonly model: string
}

const HEAD = `{"model":"${MODEL}","max_tokens":5,"messages":[{"role":"user","content":`

const ATTACKS: readonly Attack[] = [
  { name: 'bodies of opening brackets', run: flood(() => Buffer.alloc(LARGEST, '[')) },
  { name: 'bodies of empty objects', run: flood(() => filled(HEAD + '[', '{},', LARGEST)) },
  { name: 'bodies of text', run: flood(() => filled(HEAD + '"', 'hello world ', LARGEST_TEXT, '"}]}')) },
  {
    name: 'bodies of text of many scripts',
    run: flood(() => filled(HEAD + '"', 'hello wörld 你好 ', LARGEST_TEXT / 2, '"}]}')),
  },
  { name: 'bodies of pictures', run: flood(() => picture(LARGEST - 100)) },
  {
    name: 'a user of 20 MB',
    run: flood(() => filled(`{"model":"${MODEL}","user":"`, 'x', 20 * MIB, '","messages":[]}')),
  },
  {
    name: 'arguments that are nested',
    run: flood(() => filled(`${HEAD}"","tool_calls":[{"arguments":"`, '[', 20 * MIB, '"}]}]}')),
  },
  {
    name: 'gzip bombs',
    run: flood(() => gzipSync(Buffer.alloc(256 * MIB, '[')), { 'content-encoding': 'gzip' }),
  },
  {
    name: 'gzip bombs of text',
    run: flood(() => gzipSync(filled(HEAD + '"', 'x', 256 * MIB)), { 'content-encoding': 'gzip' }),
  },
  { name: 'bodies that are never sent to their end', run: halves },
  { name: 'bodies of an endless number', run: flood(() => filled(HEAD + '9', '9', LARGEST)) },
  { name: 'bodies in chunks of a byte', run: byteByByte },
  {
    name: 'events of endless lines',
    provider: () => endless('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n', 'data: x\n'),
    run: one,
  },
  {
    name: 'compressed answers that cannot be read',
    provider: () =>
      raw(
        'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: 40\r\n\r\n',
        'x'.repeat(40),
      ),
    run: small,
  },
  {
    name: 'endless errors',
    provider: () => endless('HTTP/1.1 400 Bad Request\r\n\r\n{"error":"'),
    run: small,
  },
  {
    name: 'endless answers',
    provider: () => endless('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n{"id":"'),
    run: one,
  },
  { name: 'answers of opening brackets', provider: nested, run: small },
  {
    name: 'answers that nobody asked for',
    provider: () =>
      raw(`HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}`, `HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}`),
    run: small,
  },
  {
    name: 'callers that never read',
    provider: () => answers({ pieces: Array.from({ length: 200 }, () => 'x'.repeat(10_000)) }),
    run: neverReading,
  },
]

for (const engine of PROCESS_ENGINES) {
  describe.skipIf(engine.skipped)(`a gateway on ${engine.name} under attack`, () => {
    test(
      'stays small and awake, serves everybody else as if nothing happened, and keeps nothing of it',
      async () => {
        await using world = await startProcessWorld({
          processes: 1,
          probed: true,
          config: withProviders,
          ...(await engine.database()),
        })
        const [gateway] = world.processes
        if (!gateway) throw new Error('no process runs')
        const bystander = await world.createCustomer({ balance: '1000' })
        const stallMax = STALL_MS_MAX * NOISE * slowness()
        for (let i = 0; i < 50; i++) await (await world.chat(gateway, bystander.secret)).text()
        const idle = (await gateway.probe()).residentBytes
        const table: string[] = []
        const broken: string[] = []
        for (const _ of repeats(ROUNDS)) {
          for (const attack of ATTACKS) {
            let fault: string | undefined
            for (let tries = 0; tries < TRIES_MAX && (tries === 0 || fault !== undefined); tries++) {
              const found = await attackOnce(attack, world, gateway, bystander)
              const { worstMs, peak, others } = found
              const above = Math.round((peak - idle) / MIB)
              table.push(`${attack.name}: ${above} MiB above idle, stalled ${worstMs.toFixed(1)} ms${others}`)
              broken.push(...found.failed.map((heard) => `${attack.name}: another caller heard ${heard}`))
              if (worstMs > stallMax)
                fault = `${attack.name} stalled the process for ${worstMs.toFixed(1)} ms`
              else if (above > MEMORY_ABOVE_IDLE_MAX_MIB) fault = `${attack.name} took ${above} MiB`
              else fault = undefined
            }
            if (fault !== undefined) broken.push(fault)
          }
        }
        console.log(`${engine.name}, bound ${stallMax.toFixed(0)} ms:\n${table.join('\n')}`)
        expect(broken).toEqual([])
        await proveNothingLeft(world, gateway)
      },
      TEST_LIMIT_MS,
    )
  })
}

async function attackOnce(
  attack: Attack,
  world: ProcessWorld,
  gateway: GatewayProcess,
  bystander: ProcessCustomer,
): Promise<{ worstMs: number; peak: number; others: string; failed: readonly string[] }> {
  world.provider.play(attack.provider?.() ?? streams('Hello', ' world'))
  const customer = await world.createCustomer({ balance: '1000' })
  // A provider that is sick serves nobody: then there is nobody to look after.
  const calls = attack.provider ? undefined : keepCalling(world, gateway, bystander)
  await forgetPeak(gateway)
  await gateway.probe()
  await inTime(attack.name, gateway, attack.run({ world, gateway, customer, model: modelOf(attack) }))
  await inTime(`${attack.name}: another caller`, gateway, calls?.stop())
  const { worstMs } = await gateway.probe()
  const others = calls
    ? `, ${calls.answered} others answered, the slowest in ${calls.slowestMs.toFixed(0)} ms`
    : ''
  return { worstMs, peak: await peakBytes(gateway), others, failed: calls?.failed ?? [] }
}

/** The standard configuration, with a provider and a model for each attack by a provider. */
function withProviders(provider: ScriptedProvider): Readonly<Record<string, unknown>> {
  const { providers, models } = standardConfig(provider) as { providers: { acme: object }; models: object[] }
  const sick = ATTACKS.filter((attack) => attack.provider)
  return {
    providers: {
      ...providers,
      ...Object.fromEntries(sick.map((attack) => [modelOf(attack), providers.acme])),
    },
    models: [
      ...models,
      ...sick.map((attack) => {
        const id = modelOf(attack)
        return {
          ...standardModel({ id, targets: [{ provider: id, model: 'upstream-chat-1' }] }),
          aliases: [],
        }
      }),
    ],
  }
}

function modelOf({ name, provider }: Attack): string {
  return provider ? name.replaceAll(' ', '-') : MODEL
}

/** Callers that send this body at the same time, each with its own connection, and read the answer. */
function flood(make: () => Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}): Attack['run'] {
  return ({ gateway, customer }) => {
    const body = make()
    return Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        const response = await fetch(`${gateway.url}/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${customer.secret}`, ...headers },
          body,
          keepalive: false,
        })
        await response.text()
      }),
    )
  }
}

/** Of what a provider sends without end, each call keeps up to a bound. */
async function one({ world, gateway, customer, model }: Target): Promise<void> {
  await (await world.chat(gateway, customer.secret, { model, max_tokens: 5 })).text()
}

async function small({ world, gateway, customer, model }: Target): Promise<void> {
  await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, i) => {
      await (await world.chat(gateway, customer.secret, { model, stream: i % 2 === 0, max_tokens: 5 })).text()
    }),
  )
}

async function halves({ gateway, customer }: Target): Promise<void> {
  const callers = await Promise.all(
    Array.from({ length: AT_ONCE }, () =>
      begin(gateway, customer, `content-length: ${LARGEST}`, 'x'.repeat(MIB)),
    ),
  )
  for (const caller of callers) caller.close()
}

async function byteByByte({ gateway, customer }: Target): Promise<void> {
  const chunks = `${'1\r\nx\r\n'.repeat(200_000)}0\r\n\r\n`
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      const caller = await begin(gateway, customer, 'transfer-encoding: chunked', chunks)
      await caller.until('HTTP/1.1 400')
      caller.close()
    }),
  )
}

async function neverReading({ gateway, customer, model }: Target): Promise<void> {
  const body = JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'x' }] })
  const callers = await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      const caller = await begin(gateway, customer, `content-length: ${body.length}`, body)
      await caller.until('HTTP/1.1 ')
      caller.stopReading()
      return caller
    }),
  )
  for (const caller of callers) caller.close()
}

async function begin(
  { url }: GatewayProcess,
  { secret }: ProcessCustomer,
  framing: string,
  sent = '',
): Promise<RawCaller> {
  const caller = await rawCaller(Number(new URL(url).port))
  caller.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${secret}\r\n${framing}\r\n\r\n${sent}`,
  )
  return caller
}

/** Somebody who calls now and then, and notes how it went. */
function keepCalling(world: ProcessWorld, gateway: GatewayProcess, { secret }: ProcessCustomer) {
  const calls = { answered: 0, slowestMs: 0, failed: [] as string[], stop }
  const state = { running: true }
  const over = go()
  async function go(): Promise<void> {
    while (state.running) {
      const startedAt = performance.now()
      const response = await world.chat(gateway, secret)
      const text = await response.text()
      calls.slowestMs = Math.max(calls.slowestMs, performance.now() - startedAt)
      if (response.status === 200) calls.answered++
      else calls.failed.push(`${response.status} ${text.slice(0, 200)}`)
      await Bun.sleep(BYSTANDER_PAUSE_MS)
    }
  }
  async function stop(): Promise<void> {
    state.running = false
    await over
  }
  return calls
}

/** The most memory counts from now on. */
async function forgetPeak({ pid }: GatewayProcess): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, '5')
}

/** The most memory that the process has had since. */
async function peakBytes({ pid }: GatewayProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
}

/** No open call, no hold, no byte of a body; the books are right. */
async function proveNothingLeft(world: ProcessWorld, gateway: GatewayProcess): Promise<void> {
  await inTime('every call to end', gateway, none(gateway, 'tollgate_open_calls'))
  await inTime('every body to be forgotten', gateway, none(gateway, 'tollgate_request_body_bytes'))
  expect(await world.inspector.rows('select id from holds')).toEqual([])
  const { code, output } = await world.command('ledger', 'verify', '--json')
  expect(output).toContain('"ok": true')
  expect(code).toBe(0)
}

/** Resolves when this gauge is at zero. */
async function none({ url }: GatewayProcess, gauge: string): Promise<void> {
  const zero = new RegExp(`^${gauge} 0$`, 'm')
  while (!zero.test(await (await fetch(`${url}/metrics`)).text())) await Bun.sleep(POLL_MS)
}

/** Fails with what the gateway says of itself when something has not ended within `ENDS_WITHIN_MS`. */
async function inTime(
  what: string,
  { url }: GatewayProcess,
  work: Promise<unknown> | undefined,
): Promise<void> {
  const late = Promise.withResolvers<'late'>()
  const timer = setTimeout(() => late.resolve('late'), ENDS_WITHIN_MS)
  const outcome = await Promise.race([work, late.promise])
  clearTimeout(timer)
  if (outcome !== 'late') return
  const metrics = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(METRICS_WITHIN_MS) })
    .then((response) => response.text())
    .catch((error: unknown) => `the gateway does not answer: ${String(error)}`)
  throw new Error(`${what}: not over after ${ENDS_WITHIN_MS} ms\n${metrics}`)
}

/** How much slower this machine is now than the one that the bound was written for. */
function slowness(): number {
  const text = JSON.stringify({ a: 'hello world\n'.repeat((8 * MIB) / 13) })
  const times = Array.from({ length: 5 }, () => {
    const startedAt = performance.now()
    JSON.parse(text)
    return performance.now() - startedAt
  })
  return Math.max(1, Math.min(...times) / REFERENCE_MS)
}

/** Where pieces are cut, no character is cut. */
const CUT = 'xxxx'

function filled(head: string, piece: string, bytes: number, tail = ''): Uint8Array<ArrayBuffer> {
  const body = Buffer.alloc(bytes, piece)
  body.write(head + CUT)
  body.write(CUT + tail, bytes - CUT.length - tail.length)
  return body
}

function picture(bytes: number): Uint8Array<ArrayBuffer> {
  const head = `${HEAD}[{"type":"image_url","image_url":{"url":"data:image/png;base64,`
  return filled(head, 'iVBORw0KGgoAAAANSUhEUgAA', bytes, '"}}]}]}')
}

/** A whole answer that is nested as deep as it may be long. */
function nested(): Act {
  const text = '['.repeat(MIB)
  return raw(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n`,
    text,
  )
}

/** Says this, and then the same again and again, until the other side has had enough. */
function endless(beginning: string, piece = 'x'): Act {
  return {
    async play(turn) {
      await turn.write(beginning)
      while (!turn.over) await turn.write(piece.repeat(64 * 1024))
    },
  }
}
