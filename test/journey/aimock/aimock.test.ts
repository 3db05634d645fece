import { describe, expect, test } from 'bun:test'
import { parseUsd } from '../../../src/core/money.ts'
import { contentOf, errorOf, jsonOf, streamOf } from '../../support/readAnswer.ts'
import { MODEL } from '../../support/world.ts'
import { startAimockWorld, type AimockWire, type AimockWorld, WIRES } from './aimock.ts'

const TEXT = 'Hello wide world, and welcome'
/** The same in every provider's words; each format reads its own. */
const USAGE = {
  prompt_tokens: 9,
  completion_tokens: 12,
  input_tokens: 9,
  output_tokens: 12,
  promptTokenCount: 9,
  candidatesTokenCount: 12,
}
/** 9 × $0.50 + 12 × $1.50 per million. */
const CHARGE = '0.0000225'
const SECRET = 'sk-live-4711 of org-Acme'
const TOOLS = [
  {
    type: 'function',
    function: {
      name: 'weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  },
]
const STREAMED = { stream: true, stream_options: { include_usage: true } }
/** Slow enough for a stream to be under way when something happens to it. */
const SLOW = { latency: 20 }

for (const wire of WIRES) describe(`aimock as ${wire}`, () => testJourneys(wire))

function testJourneys(wire: AimockWire): void {
  const answering = (): Promise<AimockWorld> =>
    startAimockWorld(wire, (mock) => mock.onMessage('hello', { content: TEXT, usage: USAGE }))

  test('a completion is whole, in the words of OpenAI, and charged as reported', async () => {
    await using started = await answering()
    const { world } = started
    for (const body of [{ max_tokens: 20 }, {}]) {
      const completion = await jsonOf(await world.chat(body))
      expect(completion).toMatchObject({
        id: expect.stringMatching(/^chatcmpl-[0-9A-Z]{26}$/),
        object: 'chat.completion',
        model: MODEL,
        choices: [{ index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 },
      })
      expect((await world.ledger()).at(-1)).toEqual({ kind: 'charge', amount_usd: CHARGE })
    }
  })

  test('a stream has one role chunk, the text, one finish, usage and [DONE]', async () => {
    await using started = await answering()
    const { world } = started
    const answer = await streamOf(await world.chat({ max_tokens: 20, ...STREAMED }))
    expect(answer.done).toBe(true)
    const [role, ...rest] = answer.chunks
    const [finish, usage] = rest.splice(-2)
    expect(role?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' })
    expect(rest.length).toBeGreaterThan(1)
    expect(rest.every(({ choices }) => typeof choices[0]?.delta['content'] === 'string')).toBe(true)
    expect(contentOf(answer)).toBe(TEXT)
    expect(finish?.choices).toMatchObject([{ index: 0, delta: {}, finish_reason: 'stop' }])
    expect(usage).toMatchObject({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 12 } })
    await world.settled()
    expect((await world.ledger()).at(-1)).toEqual({ kind: 'charge', amount_usd: CHARGE })
  })

  test('tool calls come whole and in pieces, and the tools reach the provider', async () => {
    await using started = await startAimockWorld(wire, (mock) =>
      mock.onMessage('hello', {
        toolCalls: [
          { name: 'weather', arguments: '{"city":"Oslo"}' },
          { name: 'weather', arguments: '{"city":"Rome"}' },
        ],
        usage: USAGE,
      }),
    )
    const { world, mock } = started
    const completion = await jsonOf(await world.chat({ max_tokens: 20, tools: TOOLS }))
    const call = (city: string) => ({
      id: expect.stringMatching(/^.+$/),
      type: 'function',
      function: { name: 'weather', arguments: `{"city":"${city}"}` },
    })
    expect(completion['choices']).toMatchObject([
      { finish_reason: 'tool_calls', message: { tool_calls: [call('Oslo'), call('Rome')] } },
    ])
    expect(JSON.stringify(mock.getLastRequest()?.body)).toContain('weather')

    const answer = await streamOf(await world.chat({ max_tokens: 20, tools: TOOLS, ...STREAMED }))
    const texts = ['', '']
    for (const { choices } of answer.chunks) {
      const pieces = (choices[0]?.delta['tool_calls'] ?? []) as unknown as CallPiece[]
      for (const { index, function: piece } of pieces) texts[index] += piece.arguments ?? ''
    }
    expect(texts).toEqual(['{"city":"Oslo"}', '{"city":"Rome"}'])
    expect(answer.chunks.at(-2)?.choices[0]?.finish_reason).toBe('tool_calls')
  })

  test('two choices are made by parallel calls, and both prompts are paid', async () => {
    await using started = await answering()
    const { world, mock } = started
    const completion = await jsonOf(await world.chat({ max_tokens: 20, n: 2 }))
    expect(completion['choices']).toMatchObject([
      { index: 0, message: { content: TEXT } },
      { index: 1, message: { content: TEXT } },
    ])
    expect(completion['usage']).toMatchObject({ prompt_tokens: 18, completion_tokens: 24 })
    expect(mock.getRequests()).toHaveLength(2)
    const answer = await streamOf(await world.chat({ max_tokens: 20, n: 2, stream: true }))
    expect([contentOf(answer, 0), contentOf(answer, 1)]).toEqual([TEXT, TEXT])
    await world.settled()
    const charges = (await world.ledger()).filter(({ kind }) => kind === 'charge')
    expect(charges.map((line) => line.amount_usd)).toEqual(['0.000045', '0.000045'])
  })

  test.each([
    [400, 400, 'invalid_request'],
    [401, 502, 'upstream_error'],
    [403, 502, 'upstream_error'],
    [404, 502, 'upstream_error'],
    [429, 503, 'service_unavailable'],
    [500, 502, 'upstream_error'],
    [503, 503, 'service_unavailable'],
    [529, 503, 'service_unavailable'],
  ])('a provider that answers %d is a %d %s in our words and costs nothing', async (theirs, ours, code) => {
    await using started = await startAimockWorld(wire, (mock) =>
      mock.onMessage('hello', {
        error: { message: SECRET, type: 'scripted' },
        status: theirs,
        retryAfter: 7,
      }),
    )
    const { world } = started
    for (const body of [{ max_tokens: 20 }, { stream: true }]) {
      const response = await world.chat(body)
      expect(response.status).toBe(ours)
      expect(await response.clone().text()).not.toContain('sk-live')
      expect((await errorOf(response)).code).toBe(code)
      expect(response.headers.get('retry-after') !== null).toBe(ours === 503)
    }
    await world.settled()
    expect(await world.balance()).toEqual({ balance: '10.00', held: '0.00' })
  })

  test.each([
    ['truncated', { truncateAfterChunks: 3 }],
    ['disconnected', { disconnectAfterMs: 100 }],
  ])(
    'a stream that is %s ends with an error, never like a whole one, and costs nothing',
    async (_, fault) => {
      await using started = await startAimockWorld(wire, (mock) =>
        mock.onMessage('hello', { content: TEXT.repeat(10) }, { ...SLOW, ...fault }),
      )
      const { world } = started
      const response = await world.chat({ max_tokens: 100, stream: true })
      if (response.status === 200) {
        const answer = await streamOf(response)
        expect(answer.error?.code).toBe('upstream_error')
        expect(answer.done).toBe(false)
        expect(answer.chunks.every(({ choices }) => choices[0]?.finish_reason === null)).toBe(true)
      } else {
        expect(response.status).toBe(502)
      }
      expect((await world.chat()).status).toBe(502)
      await world.settled()
      expect(await world.balance()).toEqual({ balance: '10.00', held: '0.00' })
    },
  )

  test('who leaves in mid-stream pays for what it got', async () => {
    await using started = await startAimockWorld(wire, (mock) =>
      mock.onMessage('hello', { content: 'word '.repeat(2000) }, SLOW),
    )
    const { world } = started
    const response = await world.chat({ max_tokens: 4000, stream: true })
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    await world.settled()
    const { data } = await world.operations.requests({})
    expect(data).toMatchObject([{ ending: 'client_left', usage: { source: 'estimated' } }])
    expect(parseUsd(data[0]?.charge_usd ?? '')).toBeGreaterThan(0n)
    expect((await world.balance()).held).toBe('0.00')
  })

  test('an answer without usage is counted, not given away', async () => {
    await using started = await startAimockWorld(wire, (mock) => mock.onMessage('hello', { content: TEXT }))
    const { world } = started
    for (const body of [{ max_tokens: 20 }, { max_tokens: 20, stream: true }]) {
      await (await world.chat(body)).text()
      await world.settled()
      const charge = (await world.ledger()).at(-1)
      expect(charge?.kind).toBe('charge')
      // At least a token of prompt and the six words of the answer.
      expect(parseUsd(charge?.amount_usd ?? '')).toBeGreaterThan(6n * 1500n)
    }
  })
}

interface CallPiece {
  readonly index: number
  readonly function: { readonly arguments?: string }
}
