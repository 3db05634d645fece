// What tests of routes and plans share: models and routes as a configuration makes them, over which nothing is sent.
import type { Model } from '../../src/core/model.ts'
import { nano } from '../../src/core/money.ts'
import { openai } from '../../src/providers/openai.ts'
import type { Provider } from '../../src/providers/provider.ts'
import { timeoutsInForce } from '../../src/providers/timeouts.ts'
import { WIRE_FORMATS } from '../../src/wire/formats.ts'
import type { HttpClient } from '../../src/upstream/http.ts'
import type { Route } from '../../src/upstream/route.ts'

const http: HttpClient = { request: () => Promise.reject(new Error('nothing is sent here')), close() {} }

/** A model at $1 for input and $2 for output, with whatever is given in place of the standard. */
export function testModel(more: Partial<Model> = {}): Model {
  return {
    id: 'acme/chat-1',
    displayName: 'Acme Chat 1',
    ownedBy: 'acme',
    category: 'chat',
    created: 0,
    contextLength: 128_000,
    maxOutputTokens: 8_000,
    assumedOutputTokens: 500,
    assumedTokensPerSecond: 60,
    imageTokens: 1_000,
    capabilities: [],
    prices: [{ input: nano(1_000_000_000n), output: nano(2_000_000_000n) }],
    targets: [],
    strategy: 'priority',
    aliases: [],
    unsupportedFields: [],
    ...more,
  }
}

/** @param name the provider's name in the configuration, where it is not the row's */
export function testRoute(
  options: {
    readonly model?: Model
    readonly provider?: Provider
    readonly name?: string
    readonly http?: HttpClient
  } = {},
): Route {
  const { model = testModel(), provider = openai, name = provider.id } = options
  return {
    model,
    target: { provider: name, upstreamModel: 'upstream-chat-1', facts: {}, weight: 1, priority: 0 },
    provider: {
      name,
      provider,
      credentials: [],
      timeouts: timeoutsInForce({ firstEventMs: 5_000, idleMs: 5_000 }),
    },
    format: WIRE_FORMATS[provider.wire],
    quirks: provider.quirks,
    http: options.http ?? http,
  }
}
