import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../src/core/json.ts'
import { readObject, readObjects, readText } from '../../src/wire/read.ts'
import {
  MESSAGE_STOP,
  anthropicMessage,
  blockDelta,
  blockStart,
  blockStop,
  messageDelta,
  messageStart,
} from '../support/scriptedAnthropic.ts'
import { type Script, inTurn, openaiCompletion, respond, stream } from '../support/scriptedProvider.ts'
import { MODEL, type World, startWorld } from '../support/world.ts'

/** `POST /v1/responses` with `store: false`: the reasoning that clients keep themselves, on its way back to its provider. */

const USER = { role: 'user', content: 'Weather?' }
const TOOL = { type: 'function', name: 'weather', parameters: { type: 'object', properties: {} } }

interface Answered {
  readonly output: readonly JsonObject[]
  readonly dropped: string | null
}

async function ask(world: World, input: readonly JsonObject[], more: JsonObject = {}): Promise<Answered> {
  const body = { model: MODEL, store: false, tools: [TOOL], max_output_tokens: 100, input, ...more }
  const response = await world.request('POST', '/v1/responses', body)
  expect(response.status).toBe(200)
  const text = await response.text()
  const last = text.startsWith('{') ? text : text.slice(text.lastIndexOf('\ndata: ') + '\ndata: '.length)
  const said = JSON.parse(last) as JsonObject
  return {
    output: readObjects((readObject(said.response) ?? said).output),
    dropped: response.headers.get('x-tollgate-dropped-fields'),
  }
}

/** The model's own turn, as the provider was sent it last. */
async function replayed(world: World, ordinal: number): Promise<JsonObject | undefined> {
  const { body } = await world.provider.request(ordinal)
  return readObjects((body as JsonObject).messages).find(({ role }) => role === 'assistant')
}

const isThought = ({ type }: JsonObject): boolean => type === 'reasoning'

/** As the AI SDK sends an answer back: items of the same id are one, with the last secret. */
function joined(output: readonly JsonObject[]): JsonObject[] {
  const thoughts = output.filter(isThought)
  const [first, last = {}] = [thoughts[0], thoughts.at(-1)]
  const summary = thoughts.flatMap((item) => readObjects(item.summary))
  return output.flatMap((item) => (isThought(item) ? (item === first ? [{ ...last, summary }] : []) : [item]))
}

/** As LangChain does: with the last of the reasoning items, before all else. */
function withLast(output: readonly JsonObject[]): JsonObject[] {
  return [...output.filter((item) => isThought(item)).slice(-1), ...output.filter((item) => !isThought(item))]
}

/** As agents do. */
function asTheyCame(output: readonly JsonObject[]): JsonObject[] {
  return [...output]
}

const CLIENTS: [string, (output: readonly JsonObject[]) => JsonObject[]][] = [
  ['joins them', joined],
  ['keeps the last', withLast],
  ['keeps them', asTheyCame],
]

function resultOf(output: readonly JsonObject[]): JsonObject {
  const call = output.find(({ type }) => type === 'function_call')
  return { type: 'function_call_output', call_id: call?.call_id ?? '', output: '-3' }
}

describe('several thoughts before a call come back as Anthropic signed them, from a client that', () => {
  const thoughts = [
    { type: 'thinking', thinking: 'AAA', signature: 'SIGA' },
    { type: 'thinking', thinking: '\n\nBBB ', signature: 'SIGB' },
    { type: 'redacted_thinking', data: 'RED' },
  ]
  const words = { type: 'text', text: 'Let me see.' }
  const call = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} }

  const inAnthropic = (blocks: readonly JsonObject[], isStreamed: boolean): Script =>
    inTurn(
      isStreamed
        ? stream(framesOf(blocks))
        : respond({ body: anthropicMessage(blocks, { stop_reason: 'tool_use' }) }),
      respond({ body: anthropicMessage([{ type: 'text', text: 'Cold.' }]) }),
    )

  const startAnthropic = (script: Script): Promise<World> =>
    startWorld({
      provider: script,
      config: ({ baseUrl }) => ({
        providers: { acme: { wire: 'anthropic-messages', base_url: baseUrl, api_key: 'provider-secret' } },
      }),
    })

  test.each(CLIENTS)('%s', async (_does, sendBack) => {
    for (const blocks of [
      [...thoughts, words, call],
      [...thoughts.slice(0, 1), words, ...thoughts.slice(1), call],
    ])
      for (const isStreamed of [false, true]) {
        await using world = await startAnthropic(inAnthropic(blocks, isStreamed))
        const { output } = await ask(world, [USER], { stream: isStreamed })
        await ask(world, [USER, ...sendBack(output), resultOf(output)])
        const { content } = (await replayed(world, 1)) ?? {}
        expect(content).toMatchObject([...thoughts, words, { type: 'tool_use', id: 'toolu_1' }])
      }
  })

  test('sends text that no provider signed: it is left out by name, not sent as a thought', async () => {
    await using chat = await startWorld({ provider: respond({ body: thoughtfulCompletion('Hm.') }) })
    const { output } = await ask(chat, [USER])
    const answer = anthropicMessage([{ type: 'text', text: 'Cold.' }])
    await using world = await startAnthropic(respond({ body: answer }))
    const { dropped } = await ask(world, [USER, ...output, resultOf(output)])
    expect(dropped).toBe('input[reasoning]')
    const { content } = (await replayed(world, 0)) ?? {}
    expect(content).toMatchObject([{ type: 'tool_use' }])
  })
})

test.each(CLIENTS)(
  '`reasoning_content` comes back between calls of tools, from a client that %s',
  async (_, sendBack) => {
    await using world = await startWorld({
      provider: inTurn(
        respond({ body: thoughtfulCompletion('Hm.\n\nWell. ') }),
        respond({ body: openaiCompletion('Cold.') }),
      ),
    })
    const { output } = await ask(world, [USER])
    for (const item of output.filter(isThought)) expect(item.encrypted_content).toBeString()
    await ask(world, [USER, ...sendBack(output), resultOf(output)])
    expect(await replayed(world, 1)).toMatchObject({
      reasoning_content: 'Hm.\n\nWell. ',
      tool_calls: [{ id: 'call_1' }],
    })
  },
)

function thoughtfulCompletion(thought: string): JsonObject {
  const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } }
  const message = { role: 'assistant', content: null, reasoning_content: thought, tool_calls: [call] }
  return {
    ...openaiCompletion('', { finishReason: 'tool_calls' }),
    choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
  }
}

function framesOf(blocks: readonly JsonObject[]): string[] {
  return [
    messageStart(),
    ...blocks.flatMap((block, index) => [
      blockStart(index, emptied(block)),
      ...deltasOf(block).map((delta) => blockDelta(index, delta)),
      blockStop(index),
    ]),
    messageDelta('tool_use'),
    MESSAGE_STOP,
  ]
}

function emptied(block: JsonObject): JsonObject {
  const filled = ['thinking', 'signature', 'text'].filter((name) => name in block)
  return { ...block, ...Object.fromEntries(filled.map((name) => [name, ''])) }
}

function deltasOf({ type, text, thinking, signature }: JsonObject): JsonObject[] {
  switch (type) {
    case 'text':
      return [{ type: 'text_delta', text: text ?? '' }]
    case 'thinking':
      return [
        ...Array.from(readText(thinking) ?? '', (piece) => ({ type: 'thinking_delta', thinking: piece })),
        { type: 'signature_delta', signature: signature ?? '' },
      ]
    case 'tool_use':
      return [{ type: 'input_json_delta', partial_json: '{}' }]
    default:
      return []
  }
}
