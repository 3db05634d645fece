import { describe, expect, test } from 'bun:test'
import type { CallDetailView } from '../../src/operations/call.ts'
import type { RefusedCallDetailView } from '../../src/operations/refusedCall.ts'
import { PROMPT } from '../support/privateEchoes.ts'
import { leaksIn } from '../support/privateWords.ts'
import { errorOf } from '../support/readAnswer.ts'
import { openaiError, respond } from '../support/scriptedProvider.ts'
import { type World, standardModel, startWorld } from '../support/world.ts'

const ADMIN_TOKEN = 'token-of-the-operator'

/** What is known of a request: refused ones are there when the next flush is over. */
async function untilKnown(world: World, id: string): Promise<CallDetailView> {
  for (;;) {
    const found = await world.operations.request(id).catch(() => undefined)
    if (found) return found
    await new Promise((resolve) => setImmediate(resolve))
  }
}

async function refusedAs(world: World, response: Response): Promise<RefusedCallDetailView> {
  const found = await untilKnown(world, response.headers.get('x-request-id') ?? '')
  if (found.kind !== 'refused') throw new Error(`expected a refused call, not a ${found.kind}`)
  return found
}

describe('a refused call is explained by its X-Request-ID', () => {
  const CALLS: readonly [status: number, call: (world: World) => Promise<Response>, model: string | null][] =
    [
      [400, (world) => world.chat({ temperature: 7 }), 'acme/chat-1'],
      [400, (world) => world.request('POST', '/v1/chat/completions', '{"model": '), null],
      [402, (world) => world.chat({ max_tokens: 8_000, n: 20 }), 'acme/chat-1'],
      [403, (world) => world.chat({ model: 'acme/dear' }), 'acme/dear'],
      [404, (world) => world.chat({ model: 'acme/none' }), 'acme/none'],
      [404, (world) => world.request('GET', '/v1/models/acme%2Fnone'), 'acme/none'],
      [404, (world) => world.request('GET', '/v1/nowhere'), null],
      [404, (world) => world.request('GET', '/v1/generation?id=chatcmpl-none'), null],
      [405, (world) => world.request('POST', '/v1/models', {}), null],
      [413, (world) => world.chat({ padding: 'x'.repeat(100_000) }), null],
    ]

  test('without a word of its prompt, its tools, its user or its key, whatever it was refused for', async () => {
    await using world = await startWorld({
      balance: '0.001',
      config: () => ({
        server: { max_body_bytes: 50_000 },
        models: [standardModel({ context_length: 2_000, max_output_tokens: 1_900 })],
      }),
    })
    const messages = [{ role: 'user', content: PROMPT }]
    const tool = { type: 'function', function: { name: 'dig', description: PROMPT } }
    const bodies: readonly Readonly<Record<string, unknown>>[] = [
      { messages, temperature: 7 },
      { messages, model: 'acme/none' },
      { messages, max_tokens: 1_900, n: 100 },
      { messages, padding: PROMPT.repeat(1_000) },
      { messages: [{ role: 'user', content: `${PROMPT} `.repeat(500) }] },
      { messages: [...messages, { role: 'tool', content: PROMPT }] },
      { messages: [{ role: PROMPT.slice(0, 4), content: [{ type: 'text', text: PROMPT, more: 1 }] }] },
      { messages, tools: [tool, { ...tool, type: 'none' }] },
      { messages, user: PROMPT.repeat(10) },
      { messages, stop: Array<string>(20).fill(PROMPT) },
      { messages, response_format: { type: 'json_schema', json_schema: PROMPT } },
    ]
    const responses = await Promise.all(bodies.map((body) => world.chat(body)))
    const kept = await Promise.all(
      responses.map((response) => untilKnown(world, response.headers.get('x-request-id') ?? '')),
    )
    const texts = kept.map((call) => JSON.stringify(call))
    expect(responses.filter(({ ok }) => ok)).toEqual([])
    expect(leaksIn(texts.join('\n'), { prompt: PROMPT, key: world.secret })).toEqual([])
  })

  test('as its caller heard it, whatever it was refused for', async () => {
    await using world = await startWorld({
      balance: '0.001',
      key: { models: ['acme/chat-1'] },
      config: () => ({
        server: { max_body_bytes: 50_000 },
        models: [standardModel(), standardModel({ id: 'acme/dear', aliases: [] })],
      }),
    })
    const heard = []
    for (const [status, call, model] of CALLS) {
      const response = await call(world)
      expect(response.status).toBe(status)
      const { code, message, param } = await errorOf(response)
      heard.push({ response, told: { status, code, message, param, model } })
    }
    for (const { response, told } of heard) {
      expect(await refusedAs(world, response)).toMatchObject({
        ...told,
        workspace_id: world.workspaceId,
        key_id: world.keyId,
        address: '127.0.0.1',
        key_refusals: { last_seven_days: CALLS.length, kept: CALLS.length },
      })
    }
  })

  test('with 429; all are kept and counted by code', async () => {
    await using world = await startWorld({ workspace: { requests_per_minute: 1 } })
    world.clock.set(Date.UTC(2026, 10, 20, 12))
    await world.request('GET', '/v1/key')
    const answers: Response[] = []
    for (let i = 0; i < 25; i++) answers.push(await world.chat())
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 25 }, () => 429))
    const first = answers[0]
    if (!first) throw new Error('there was an answer')
    for (;;) {
      const { code, key_refusals: tally } = await refusedAs(world, first)
      expect(code).toBe('rate_limit_exceeded')
      if (tally.last_seven_days < 25) continue
      expect(tally).toEqual({
        last_seven_days: 25,
        kept: 25,
        by_day: [{ date: '2026-11-20', by_code: { rate_limit_exceeded: 25 } }],
      })
      break
    }
  })

  test('with 409', async () => {
    await using world = await startWorld()
    const headers = { 'idempotency-key': 'k' }
    await (await world.chat({}, headers)).text()
    const response = await world.chat({ temperature: 1 }, headers)
    expect(response.status).toBe(409)
    expect(await refusedAs(world, response)).toMatchObject({ code: 'idempotency_conflict' })
  })
})

describe('what is no refused call', () => {
  test('is one that failed with an attempt: it has a receipt, and is listed once', async () => {
    await using world = await startWorld({
      provider: () => openaiError(500, { message: 'words of the provider' }),
    })
    const failed = await world.chat()
    const refused = await world.chat({ model: 'acme/none' })
    await refusedAs(world, refused)
    const id = failed.headers.get('x-request-id') ?? ''
    expect(await untilKnown(world, id)).toMatchObject({ kind: 'receipt' })
    expect(await world.gateway.store.refusals.find(id as never)).toBeUndefined()
    const { data } = await world.operations.failedRequests({ key_id: world.keyId })
    expect(data.map((call) => [call.kind, call.id])).toEqual([
      ['refused', refused.headers.get('x-request-id') ?? ''],
      ['receipt', id],
    ])
    expect(JSON.stringify(data)).not.toContain('words of the provider')
  })

  test('is one that is answered, or one without a key', async () => {
    await using world = await startWorld()
    await (await world.chat()).text()
    const stranger = await world.request('GET', '/v1/key', undefined, { authorization: 'Bearer tg_nobody' })
    expect(stranger.status).toBe(401)
    await refusedAs(world, await world.request('GET', '/v1/nowhere'))
    expect((await world.operations.failedRequests({})).data.length).toBe(1)
  })
})

describe('refused calls', () => {
  test('hold no secret that was sent in the place of a name, and no more of a name than is told', async () => {
    await using world = await startWorld()
    const secret = await refusedAs(world, await world.chat({ model: world.secret }))
    expect(JSON.stringify(secret)).not.toContain(world.secret.slice(0, 12))
    const long = await refusedAs(world, await world.chat({ model: `m\u0000\u202e${'n'.repeat(20_000)}` }))
    expect(long.model?.length).toBe(256)
    expect(JSON.stringify(long)).not.toMatch(/\\u0000|\u202e/)
  })

  test('that wait when the gateway stops are stored', async () => {
    await using first = await startWorld()
    const { databaseUrl, gateway } = first
    const response = await first.chat({ model: 'acme/none' })
    await gateway.stop()
    await using second = await startWorld({ databaseUrl })
    const id = response.headers.get('x-request-id') ?? ''
    expect(await second.operations.request(id)).toMatchObject({ kind: 'refused', code: 'model_not_found' })
  })

  test('are shown and listed by the admin API, with pages that follow each other', async () => {
    await using world = await startWorld({
      provider: () => respond({ status: 500 }),
      config: () => ({ server: { admin_token: ADMIN_TOKEN } }),
    })
    const ids: string[] = []
    for (let i = 0; i < 4; i++) {
      // What comes in one millisecond may stand in any order.
      world.clock.advance(1)
      const response = await world.chat(i % 2 === 0 ? {} : { model: 'acme/none' })
      ids.unshift(response.headers.get('x-request-id') ?? '')
    }
    for (const id of ids) await untilKnown(world, id)
    const ask = async (path: string) => {
      const headers = { authorization: `Bearer ${ADMIN_TOKEN}` }
      const response = await world.request('GET', `/api/v1/admin${path}`, undefined, headers)
      expect(response.status).toBe(200)
      // oxlint-disable-next-line typescript/no-explicit-any
      return (await response.json()) as any
    }
    expect(await ask(`/requests/${ids[0]}`)).toMatchObject({
      kind: 'refused',
      id: ids[0],
      model: 'acme/none',
    })
    for (const filter of ['', `&workspace_id=${world.workspaceId}`]) {
      const first = await ask(`/requests?failed=true&limit=3${filter}`)
      const second = await ask(`/requests?failed=true&limit=3${filter}&cursor=${first.next_cursor}`)
      expect([...first.data, ...second.data].map(({ id }) => id)).toEqual(ids)
      expect(second.next_cursor).toBeNull()
    }
    const receipts = await ask('/requests')
    expect(receipts.data.map(({ id }: { id: string }) => id)).toEqual([ids[1], ids[3]])
    expect((await ask('/requests?failed=true&to=2020-01-01')).data).toEqual([])
  })
})
