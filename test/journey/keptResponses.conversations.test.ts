import { describe, expect, test } from 'bun:test'
import type { RequestId, WorkspaceId } from '../../src/core/id.ts'
import type { Json, JsonObject } from '../../src/core/json.ts'
import { type Act, type Script, openaiCompletion, respond, stream } from '../support/scriptedProvider.ts'
import { responseStream, upstreamResponse } from '../support/scriptedResponses.ts'
import { MODEL, type World, standardModel, startWorld } from '../support/world.ts'

/** However a caller goes on from what was said, its provider is sent the whole conversation. */

const TOOLS = [
  { type: 'function', name: 'look', parameters: { type: 'object', properties: {} }, strict: false },
  { type: 'custom', name: 'patch' },
]

const called = (id: string, more: JsonObject): JsonObject => ({
  id,
  type: 'function_call',
  status: 'completed',
  name: 'look',
  ...more,
})

/** What a model of this format answers, turn by turn: the shapes are recorded, the words are not. */
const OUTPUTS: readonly (readonly JsonObject[])[] = [
  [
    { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA-one' },
    called('fc_1', { call_id: 'call_1', arguments: '{"at":"a"}' }),
    called('fc_2', { call_id: 'call_2', arguments: '{"at":"b"}', namespace: 'eyes' }),
  ],
  [
    {
      type: 'reasoning',
      id: 'rs_2',
      summary: [{ type: 'summary_text', text: 'Both are red.' }],
      encrypted_content: 'gAAAA-two',
    },
    {
      type: 'message',
      id: 'msg_1',
      status: 'completed',
      role: 'assistant',
      phase: 'commentary',
      content: [{ type: 'output_text', text: 'I paint them.', annotations: [], logprobs: [] }],
    },
    {
      type: 'custom_tool_call',
      id: 'ctc_1',
      status: 'completed',
      call_id: 'call_3',
      name: 'patch',
      input: '+ blue',
    },
  ],
  [
    {
      type: 'message',
      id: 'msg_2',
      status: 'completed',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Done.', annotations: [], logprobs: [] }],
    },
  ],
]

/** What the caller says before each of them. */
const INPUTS: readonly (readonly JsonObject[])[] = [
  [
    { role: 'developer', content: 'Be exact.' },
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'Compare.' },
        { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'low' },
      ],
    },
  ],
  [
    { type: 'function_call_output', call_id: 'call_2', output: 'red' },
    { type: 'function_call_output', call_id: 'call_1', output: [{ type: 'input_text', text: 'red' }] },
  ],
  [{ type: 'custom_tool_call_output', call_id: 'call_3', output: 'painted' }],
  [{ role: 'user', content: 'Thank you.' }],
]

const CHAT_CALLS = [
  [
    ['call_1', 'function', { name: 'look', arguments: '{"at":"a"}' }],
    ['call_2', 'function', { name: 'look', arguments: '{"at":"b"}' }],
  ],
  [['call_3', 'custom', { name: 'patch', input: '+ blue' }]],
  [],
] as const

/** The same in chat completions. */
function completionOf(turn: number): JsonObject {
  const calls = CHAT_CALLS[turn]?.map(([id, type, body]) => ({ id, type, [type]: body })) ?? []
  const message = { role: 'assistant', content: turn === 0 ? null : 'Well.', reasoning_content: 'Hm.' }
  return {
    ...openaiCompletion(''),
    choices: [
      {
        index: 0,
        message: { ...message, ...(calls.length > 0 && { tool_calls: calls }) },
        finish_reason: calls.length > 0 ? 'tool_calls' : 'stop',
      },
    ],
  }
}

interface Wire {
  readonly wire: string
  readonly answer: (turn: number, isStreamed: boolean) => Act
}

const WIRES: readonly Wire[] = [
  {
    wire: 'openai-responses',
    answer(turn, isStreamed) {
      const response = upstreamResponse(OUTPUTS[turn] ?? [])
      return isStreamed ? stream(responseStream(response)) : respond({ body: response })
    },
  },
  { wire: 'openai-chat', answer: (turn) => respond({ body: completionOf(turn) }) },
]

function startOn({ wire, answer }: Wire): Promise<World> {
  const script: Script = ({ body }, ordinal) =>
    answer(ordinal % INPUTS.length, (body as { stream?: boolean }).stream === true)
  return startWorld({
    provider: script,
    config: ({ baseUrl }) => ({
      providers: {
        acme: {
          wire,
          base_url: baseUrl,
          api_key: 'k',
          ...(wire === 'openai-chat' && { quirks: { streaming: 'never' } }),
        },
      },
      models: [standardModel()],
    }),
  })
}

interface Turn {
  readonly id: string
  readonly output: readonly JsonObject[]
}

async function ask(world: World, stream: boolean, more: object): Promise<Turn> {
  const response = await world.request('POST', '/v1/responses', {
    model: MODEL,
    max_output_tokens: 100,
    tools: TOOLS,
    stream,
    ...more,
  })
  const text = await response.text()
  expect([response.status, text]).toEqual([200, expect.any(String)])
  if (!stream) return JSON.parse(text) as Turn
  const last = /^event: response\.completed\ndata: (.*)$/m.exec(text)?.[1] ?? ''
  return (JSON.parse(last) as { response: Turn }).response
}

/** The conversations that the provider was sent from this request on. */
async function sentFrom(world: World, first: number): Promise<Json[]> {
  const requests = await Promise.all(INPUTS.map((_, turn) => world.provider.request(first + turn)))
  return requests.map(({ body }) => {
    const { input, messages } = body as { input?: Json; messages?: Json }
    return input ?? messages ?? null
  })
}

/** What differs between two runs of the same conversation: the ids that the gateway gives to the items of an answer. */
function withoutIds(json: Json): Json {
  const text = JSON.stringify(json, (name: string, value: Json) =>
    name === 'id' && isItemId(value) ? undefined : value,
  )
  return JSON.parse(text) as Json
}

function isItemId(value: Json): boolean {
  return typeof value === 'string' && /^(?:rs|msg|fc|ctc)_/.test(value)
}

describe.each(WIRES.flatMap((wire) => [false, true].map((stream) => [wire.wire, stream, wire] as const)))(
  'to a provider of %s, streamed: %p',
  (_name, stream, wire) => {
    test.each(['previous_response_id', 'references'] as const)(
      'a conversation that goes on by %s is the one that a caller sends who keeps it',
      async (how) => {
        await using world = await startOn(wire)
        let all: JsonObject[] = []
        for (const input of INPUTS) {
          all = [...all, ...input]
          all.push(...(await ask(world, stream, { input: all, store: false })).output)
        }
        let before: Turn | undefined
        let references: JsonObject[] = []
        for (const input of INPUTS) {
          const more =
            how === 'references'
              ? { input: [...references, ...input] }
              : { input, ...(before && { previous_response_id: before.id }) }
          before = await ask(world, stream, more)
          const named = before.output.map(({ id }) => ({ type: 'item_reference', id: id ?? null }))
          references = [...references, ...input, ...named]
        }
        const [whole, kept] = [await sentFrom(world, 0), await sentFrom(world, INPUTS.length)]
        expect(withoutIds(kept)).toEqual(withoutIds(whole))
        expect(JSON.stringify(kept.at(-1))).toContain('Compare.')
      },
    )
  },
)

test('an answer that was nothing but the reasoning of another target is an empty message, not one without content', async () => {
  const [, chat] = WIRES
  if (!chat) throw new Error('there is no second wire')
  await using world = await startOn(chat)
  const id = 'resp_kept'
  await world.gateway.store.keptResponses.keep({
    id: id as RequestId,
    workspaceId: world.workspaceId as WorkspaceId,
    previousId: null,
    createdAt: Date.now(),
    expiresAt: Date.now() + 3_600_000,
    input: '[{"role":"user","content":"Hi"}]',
    response: JSON.stringify({
      output: [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAA' }],
    }),
    items: [],
    madeBy: { provider: 'another', upstreamModel: 'm', credential: '' },
  })
  await ask(world, false, { previous_response_id: id, input: 'And?' })
  expect(((await world.provider.request()).body as { messages: Json }).messages).toEqual([
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: '' },
    { role: 'user', content: 'And?' },
  ])
})
