import { expect, test } from 'bun:test'
import type { JsonObject } from '../../../src/core/json.ts'
import { errorOf } from '../../support/readAnswer.ts'
import { type Act, openaiError, respond, streams } from '../../support/scriptedProvider.ts'
import type { RecordedRequest } from '../../support/scriptedRequest.ts'
import { type RoutingWorld, startRoutingWorld } from './routingWorld.ts'

const FINE = streams('Hello')
const MARK = 'mark of the odd request'

interface OddRequest {
  /** What its caller sends. */
  readonly body: JsonObject
  /** What the provider says to it, and to it alone. */
  readonly act: () => Act
  readonly status: 400 | 502
  /** How many of the three keys at two providers it tries. */
  readonly tries: number
}

/** The sentences are those of real providers. */
const ODD_REQUESTS: Readonly<Record<string, OddRequest>> = {
  'a value that the provider quotes': {
    body: { reasoning_effort: 'insufficient credits' },
    act: () =>
      openaiError(400, {
        message: "Invalid value: 'insufficient credits'. Supported values are: 'low' and 'high'.",
        code: 'invalid_value',
      }),
    status: 400,
    tries: 1,
  },
  'a value that it repeats without quotes': {
    body: { reasoning_effort: 'unauthorized' },
    act: () => openaiError(400, { message: 'There is no effort unauthorized.' }),
    status: 400,
    tries: 1,
  },
  'a property whose name it gives': {
    body: {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'bill', schema: { type: 'object', properties: { 'credit balance': {} } } },
      },
    },
    act: () => openaiError(400, { message: "Invalid schema: 'required' is missing 'credit balance'." }),
    status: 400,
    tries: 1,
  },
  'the sentence of an unpaid bill in a 400, which a caller may have brought about in a way nobody knows': {
    body: {},
    act: () => openaiError(400, { message: 'Your credit balance is too low.' }),
    status: 502,
    tries: 3,
  },
  'an output limit that is more than the account has credit for': {
    body: { max_tokens: 900 },
    act: () =>
      openaiError(402, {
        message:
          'This request requires more credits, or fewer max_tokens. You requested up to 900 tokens, but can only afford 300.',
      }),
    status: 502,
    tries: 3,
  },
  'a text that a firewall before the provider blocks': {
    body: {},
    act: () => respond({ status: 403, body: '<html><title>Attention required</title></html>' }),
    status: 502,
    tries: 3,
  },
  'a text against the policy, with the code that also says a key may not': {
    body: {},
    act: () =>
      openaiError(403, {
        code: 'permission-denied',
        message: 'Content violates usage guidelines: content policy.',
      }),
    status: 400,
    tries: 1,
  },
}

async function startTwoProviders(odd: OddRequest): Promise<RoutingWorld> {
  const script = ({ body }: RecordedRequest): Act => (JSON.stringify(body).includes(MARK) ? odd.act() : FINE)
  return startRoutingWorld({
    providers: { acme: script, backup: script },
    settings: { acme: { api_key: undefined, api_keys: ['key-one', 'key-two'] } },
  })
}

test.each(Object.entries(ODD_REQUESTS))(
  'one request with %s takes no key of any provider from others',
  async (_, odd) => {
    await using world = await startTwoProviders(odd)
    const response = await world.chat({ ...odd.body, messages: [{ role: 'user', content: MARK }] })
    expect([response.status, await errorOf(response)]).toMatchObject([
      odd.status,
      { code: odd.status === 400 ? 'invalid_request' : 'upstream_error' },
    ])
    const { acme = 0, backup = 0 } = world.counts()
    expect(acme + backup).toBe(odd.tries)
    for (const provider of Object.values(await world.health()))
      for (const block of provider.blocks)
        expect(block).toMatchObject({ workspace_id: world.workspaceId, last_choice: true })
    const other = await world.another('other')
    expect((await other.chat()).status).toBe(200)
    expect((await world.chat()).status).toBe(200)
    expect(world.provider('acme').requests.length).toBe(acme + 2)
    expect(await world.balance()).toMatchObject({ held: '0.00' })
  },
)
