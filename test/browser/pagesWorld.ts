import { guideNames } from '../../src/http/docs/guides.ts'
import { startWorld, standardModel, type World } from '../support/world.ts'

const PROVIDERS = [
  'openai',
  'anthropic',
  'google',
  'mistral',
  'cohere',
  'deepseek',
  'groq',
  'xai',
  'moonshot',
  'cerebras',
]

/** A gateway that serves every known model, so that its first page is long. */
export function startShop(): Promise<World> {
  return startWorld({
    config: () => ({
      providers: Object.fromEntries(PROVIDERS.map((name) => [name, { api_key: 'secret-of-the-test' }])),
      models: 'all',
    }),
  })
}

/** A gateway with prices of its own, above and below the official ones. */
export function startReseller(): Promise<World> {
  const official = { input: 1, output: 3, source: 'acme' }
  return startWorld({
    config: ({ baseUrl }) => ({
      providers: { acme: { wire: 'openai-chat', base_url: baseUrl, api_key: 'secret-of-the-test' } },
      models: [
        standardModel({ aliases: [] }),
        standardModel({
          id: 'acme/a-model-with-a-very-long-name-2026-11-20',
          display_name: 'Acme Model With a Very Long Name',
          owned_by: 'an-owner',
          our_price: { input: 2.000001, output: 6.000001 },
          official_price: official,
          aliases: [],
        }),
        standardModel({ id: 'acme/own', official_price: undefined, aliases: [] }),
      ],
    }),
  })
}

/** Every page, and one that is not there. */
export const PATHS: readonly string[] = [
  '/',
  '/?q=nothing-has-this-name',
  '/docs',
  '/docs/guides',
  '/docs/not-there',
  ...guideNames().map((name) => `/docs/${name}`),
]
