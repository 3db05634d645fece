import OpenAI, { type ClientOptions } from 'openai'
import { checkedFetch } from '../../support/checkedFetch.ts'
import type { World } from '../../support/world.ts'

/** The official client, pointed at the gateway; each answer is checked. Retries only where a test says so. */
export function openaiClient(world: World, options: ClientOptions = {}): OpenAI {
  return new OpenAI({
    baseURL: `${world.url}/v1`,
    apiKey: world.secret,
    maxRetries: 0,
    fetch: checkedFetch,
    ...options,
  })
}

/** How a call of the client failed; throws when it did not. */
export async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    (value) => {
      throw new Error(`it did not fail: ${JSON.stringify(value)}`)
    },
    (error: unknown) => error,
  )
}
