import { gzipSync } from 'node:zlib'
import { expect, test } from 'bun:test'
import type { JsonObject } from '../../../src/core/json.ts'
import { contentOf, jsonOf, streamOf } from '../../support/readAnswer.ts'
import {
  comment,
  openaiChunk,
  openaiCompletion,
  openaiUsageChunk,
  piecesOf,
  respond,
  SCRIPTED_USAGE,
  sse,
  stream,
  type Act,
} from '../../support/scriptedProvider.ts'
import { expectNothingOfTheProvider, startMisbehaving } from './misbehaviour.ts'
import { receiptOf } from '../../support/receiptOf.ts'

const ROLE = openaiChunk({ role: 'assistant', content: '' })
const FINISH = openaiChunk({}, { finishReason: 'stop' })
const USAGE = openaiUsageChunk()
const DONE = sse('[DONE]')
const TEXT = 'Grüße, 世界 👋'
const CONTENT = openaiChunk({ content: TEXT })
const PLAIN = [ROLE, CONTENT, FINISH, USAGE, DONE]
const WHOLE_STREAM = PLAIN.map((frame) => (typeof frame === 'string' ? frame : sse(frame))).join('')

interface Quirk {
  readonly provider: string
  readonly act: Act
  /** Default: reported. */
  readonly usage?: 'estimated'
}

/** Oddities of providers that the gateway accepts. */
const QUIRKS: readonly Quirk[] = [
  {
    provider: 'ends its lines with CRLF',
    act: stream([...PLAIN.slice(0, -1), sse('[DONE]', { newline: '\r\n' })], { newline: '\r\n' }),
  },
  {
    provider: 'ends its lines with CR',
    act: stream([...PLAIN.slice(0, -1), sse('[DONE]', { newline: '\r' })], { newline: '\r' }),
  },
  { provider: 'splits its stream within characters', act: stream(piecesOf(WHOLE_STREAM, 1)) },
  { provider: 'sends its whole stream in one write', act: stream(PLAIN, { coalesce: true }) },
  {
    provider: 'sends comments and blank lines',
    act: stream([
      comment('PROCESSING'),
      '\n\n',
      ROLE,
      comment(),
      '\n',
      CONTENT,
      comment(),
      FINISH,
      USAGE,
      DONE,
    ]),
  },
  { provider: 'leaves out the last blank line', act: stream([ROLE, CONTENT, FINISH, USAGE, 'data: [DONE]']) },
  { provider: 'leaves out [DONE]', act: stream([ROLE, CONTENT, FINISH, USAGE]) },
  { provider: 'ends its stream by closing the connection', act: stream(PLAIN, { framing: 'until-close' }) },
  {
    provider: 'puts usage into the finish chunk',
    act: stream([
      ROLE,
      CONTENT,
      openaiChunk({}, { finishReason: 'stop', more: { usage: SCRIPTED_USAGE } }),
      DONE,
    ]),
  },
  {
    provider: 'puts usage into every chunk',
    act: stream([
      openaiChunk(
        { role: 'assistant' },
        { more: { usage: { prompt_tokens: 9, completion_tokens: 0, total_tokens: 9 } } },
      ),
      openaiChunk(
        { content: TEXT },
        { more: { usage: { prompt_tokens: 9, completion_tokens: 5, total_tokens: 14 } } },
      ),
      openaiChunk({}, { finishReason: 'stop', more: { usage: SCRIPTED_USAGE } }),
      DONE,
    ]),
  },
  { provider: 'reports no usage', act: stream([ROLE, CONTENT, FINISH, DONE]), usage: 'estimated' },
  {
    provider: 'reports null as usage',
    act: stream([ROLE, openaiChunk({ content: TEXT }, { more: { usage: null } }), FINISH, DONE]),
    usage: 'estimated',
  },
  { provider: 'sends no role chunk', act: stream([CONTENT, FINISH, USAGE, DONE]) },
  {
    provider: 'names the role in every chunk',
    act: stream([
      ROLE,
      openaiChunk({ role: 'assistant', content: TEXT }),
      openaiChunk({ role: 'assistant', content: '' }, { finishReason: 'stop' }),
      USAGE,
      DONE,
    ]),
  },
  {
    provider: 'sends a first chunk without choices',
    act: stream([
      openaiChunk({}, { more: { choices: [], prompt_filter_results: [{ prompt_index: 0 }] } }),
      ...PLAIN,
    ]),
  },
  {
    provider: "sends '' as the finish_reason of unfinished chunks",
    act: stream([
      openaiChunk({ role: 'assistant', content: '' }, { finishReason: '' }),
      openaiChunk({ content: TEXT }, { finishReason: '' }),
      FINISH,
      USAGE,
      DONE,
    ]),
  },
  {
    provider: 'sends null as content',
    act: stream([
      openaiChunk({ role: 'assistant', content: null }),
      CONTENT,
      openaiChunk({ content: null }, { finishReason: 'stop' }),
      USAGE,
      DONE,
    ]),
  },
  {
    provider: 'finishes with the last piece of content',
    act: stream([ROLE, openaiChunk({ content: TEXT }, { finishReason: 'stop' }), USAGE, DONE]),
  },
  { provider: 'finishes twice', act: stream([ROLE, CONTENT, FINISH, FINISH, USAGE, DONE]) },
  {
    provider: 'finishes with eos',
    act: stream([ROLE, CONTENT, openaiChunk({}, { finishReason: 'eos' }), USAGE, DONE]),
  },
  { provider: 'goes on after [DONE]', act: stream([...PLAIN, CONTENT]) },
  {
    provider: 'answers a streamed request with one JSON body',
    act: respond({ body: openaiCompletion(TEXT) }),
  },
  {
    provider: 'compresses its stream though nobody asked',
    act: respond({
      headers: { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' },
      body: gzipSync(WHOLE_STREAM),
    }),
  },
]

for (const { provider, act, usage: source = 'reported' } of QUIRKS) {
  test(`a provider that ${provider} is understood: the caller's stream is in order and charged once`, async () => {
    await using world = await startMisbehaving(act)
    const response = await world.chat({
      max_tokens: 20,
      stream: true,
      stream_options: { include_usage: true },
    })
    expect(response.status).toBe(200)
    expectNothingOfTheProvider(response, await response.clone().text())
    const answer = await streamOf(response)
    const { chunks, done, error } = answer
    expect(error).toBeUndefined()
    expect(done).toBe(true)
    const [role, ...rest] = chunks
    const [finish, usage] = rest.splice(-2)
    expect(role?.choices).toMatchObject([
      { index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null },
    ])
    expect(finish?.choices).toMatchObject([{ index: 0, delta: {}, finish_reason: 'stop' }])
    expect(finish?.choices[0]?.delta).toEqual({})
    expect(usage?.choices).toEqual([])
    expect(usage?.['usage']).toMatchObject(
      source === 'reported' ? SCRIPTED_USAGE : { completion_tokens: expect.any(Number) },
    )
    const content = rest.flatMap(({ choices }) => choices)
    expect(content.every((choice) => choice.finish_reason === null)).toBe(true)
    expect(content.every(({ delta }) => delta['role'] === undefined)).toBe(true)
    expect(contentOf(answer)).toBe(TEXT)

    await world.settled()
    const receipt = await receiptOf(world.operations, response.headers.get('x-request-id') ?? '')
    expect(receipt).toMatchObject({ ending: 'completed', usage: { source } })
    expect((await world.ledger()).map(({ kind }) => kind)).toEqual(['topup', 'hold', 'release', 'charge'])
    // 9 × $0.50 + 12 × $1.50 per million
    if (source === 'reported') expect((await world.ledger()).at(-1)?.amount_usd).toBe('0.0000225')
    expect((await world.balance()).held).toBe('0.00')
    await world.provider.until(({ connectionsOpen }) => connectionsOpen <= 1)
  })

  test(`a provider that ${provider} is understood by a caller that wants one body`, async () => {
    await using world = await startMisbehaving(act)
    const body = await jsonOf(await world.chat())
    expect(body['choices']).toMatchObject([
      { index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' },
    ])
    expect(body['usage']).toMatchObject(
      source === 'reported' ? SCRIPTED_USAGE : { completion_tokens: expect.any(Number) },
    )
  })
}

interface CallPiece {
  readonly index: number
  readonly function: { readonly arguments?: string }
}

const CALL = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '' } }

test.each<[string, readonly JsonObject[]]>([
  [
    'tool calls without index',
    [
      { tool_calls: [CALL] },
      { tool_calls: [{ function: { arguments: '{"city":' } }] },
      { tool_calls: [{ function: { arguments: '"Oslo"}' } }] },
    ],
  ],
  [
    'tool calls without id',
    [
      {
        tool_calls: [
          { index: 0, type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
        ],
      },
    ],
  ],
])('a provider that sends %s gives the caller whole calls', async (_, deltas) => {
  const act = stream([
    ROLE,
    ...deltas.map((delta) => openaiChunk(delta)),
    openaiChunk({}, { finishReason: 'tool_calls' }),
    USAGE,
    DONE,
  ])
  await using world = await startMisbehaving(act)
  const body = await jsonOf(await world.chat())
  expect(body['choices']).toMatchObject([
    {
      finish_reason: 'tool_calls',
      message: {
        tool_calls: [
          {
            id: expect.stringMatching(/^.+$/),
            type: 'function',
            function: { name: 'weather', arguments: '{"city":"Oslo"}' },
          },
        ],
      },
    },
  ])
  const answer = await streamOf(await world.chat({ stream: true }))
  const calls = answer.chunks
    .flatMap(({ choices }) => choices)
    .flatMap(({ delta }) => (delta['tool_calls'] ?? []) as unknown as CallPiece[])
  expect(calls.every(({ index }) => index === 0)).toBe(true)
  expect(calls[0]).toMatchObject({
    id: expect.stringMatching(/^.+$/),
    type: 'function',
    function: { name: 'weather' },
  })
  expect(calls.map((call) => call.function.arguments ?? '').join('')).toBe('{"city":"Oslo"}')
  expect(contentOf(answer)).toBe('')
})

test.each([
  [
    'compresses its answer though nobody asked',
    {
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: gzipSync(JSON.stringify(openaiCompletion(TEXT))),
    },
  ],
  [
    'sends blank lines before its answer',
    {
      headers: { 'content-type': 'application/json' },
      body: `\n\n\n${JSON.stringify(openaiCompletion(TEXT))}`,
    },
  ],
  ['names no content type', { body: JSON.stringify(openaiCompletion(TEXT)) }],
  ['adds an empty error to its answer', { body: { ...openaiCompletion(TEXT), error: null } }],
])('whole: a provider that %s is understood', async (_, answer) => {
  await using world = await startMisbehaving(respond(answer))
  const body = await jsonOf(await world.chat({ max_tokens: 20 }))
  expect(body['choices']).toMatchObject([{ message: { content: TEXT }, finish_reason: 'stop' }])
  expect((await world.ledger()).at(-1)).toEqual({ kind: 'charge', amount_usd: '0.0000225' })
})
