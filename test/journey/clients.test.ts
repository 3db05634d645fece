import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import Anthropic from '@anthropic-ai/sdk'
import { generateText } from 'ai'
import { describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { rejectionOf } from '../support/rejection.ts'
import { answers, hang, inTurn } from '../support/scriptedProvider.ts'
import { MODEL, type World, startWorld } from '../support/world.ts'

/** What docs/clients.md says that official clients do by themselves, with their defaults. */

interface Client {
  readonly name: string
  /** The text of a small answer. */
  readonly ask: (world: World, fetch: typeof globalThis.fetch) => Promise<string>
}

const CLIENTS: readonly Client[] = [
  {
    name: 'openai',
    async ask({ url, secret }, fetch) {
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: secret, fetch })
      const messages = [{ role: 'user' as const, content: 'Hi' }]
      const { choices } = await client.chat.completions.create({ model: MODEL, messages })
      return choices[0]?.message.content ?? ''
    },
  },
  {
    name: 'openai, Responses',
    async ask({ url, secret }, fetch) {
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: secret, fetch })
      return (await client.responses.create({ model: MODEL, input: 'Hi' })).output_text
    },
  },
  {
    name: '@anthropic-ai/sdk',
    async ask({ url, secret }, fetch) {
      const client = new Anthropic({ baseURL: url, apiKey: secret, fetch })
      const messages = [{ role: 'user' as const, content: 'Hi' }]
      const { content } = await client.messages.create({ model: MODEL, max_tokens: 100, messages })
      return content.map((block) => (block.type === 'text' ? block.text : '')).join('')
    },
  },
  {
    name: '@ai-sdk/openai-compatible',
    async ask({ url, secret }, fetch) {
      const tollgate = createOpenAICompatible({
        name: 'tollgate',
        baseURL: `${url}/v1`,
        apiKey: secret,
        fetch,
      })
      return (await generateText({ model: tollgate(MODEL), prompt: 'Hi' })).text
    },
  },
]

/** A `fetch` that notes the status of each response. */
function noting(onStatus: (status: number) => void): typeof fetch {
  const noted = async (...call: Parameters<typeof fetch>) => {
    const response = await fetch(...call)
    onStatus(response.status)
    return response
  }
  return Object.assign(noted, { preconnect: fetch.preconnect })
}

describe.each(CLIENTS)('$name', ({ ask }) => {
  test('gives up at the first 402, and shows the message of the gateway', async () => {
    await using world = await startWorld({ balance: '0' })
    const statuses: number[] = []
    const error = await rejectionOf(
      ask(
        world,
        noting((status) => void statuses.push(status)),
      ),
    )
    expect(statuses).toEqual([402])
    expect(String(error)).toContain('is available. Add credit.')
  })

  test('waits after a 429, and gets its answer', async () => {
    await using world = await startWorld({
      key: { concurrent_requests: 1 },
      provider: inTurn(hang(), answers({ pieces: ['Hello'] })),
    })
    const left = new AbortController()
    const leaving: typeof fetch = Object.assign(
      (...[url, init]: Parameters<typeof fetch>) => fetch(url, { ...init, signal: left.signal }),
      { preconnect: fetch.preconnect },
    )
    const first = rejectionOf(ask(world, leaving))
    await world.provider.request()
    const statuses: number[] = []
    const text = await ask(
      world,
      noting((status) => {
        statuses.push(status)
        left.abort()
      }),
    )
    await first
    expect([text, statuses[0], statuses.at(-1)]).toEqual(['Hello', 429, 200])
  })
})
