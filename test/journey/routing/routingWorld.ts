import type { ReceiptDetailView } from '../../../src/operations/receipt.ts'
import type { ProviderView } from '../../../src/operations/provider.ts'
import { checkedFetch } from '../../support/checkedFetch.ts'
import { jsonOf } from '../../support/readAnswer.ts'
import { type Script, type ScriptedProvider, startScriptedProvider } from '../../support/scriptedProvider.ts'
import { standardModel, startWorld, type World } from '../../support/world.ts'
import { receiptOf } from '../../support/receiptOf.ts'

export const ADMIN_TOKEN = 'admin-token-of-the-routing-world'

export interface RoutingWorldOptions {
  /** What each provider does, by its name in the configuration. */
  readonly providers: Readonly<Record<string, Script>>
  /** Further settings of a provider; default: one key, timeouts that no test waits for. */
  readonly settings?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  /** Changes to `acme/chat-1`, which is served by all providers in their order unless told otherwise. */
  readonly model?: Readonly<Record<string, unknown>>
  /** Further models. */
  readonly models?: readonly Readonly<Record<string, unknown>>[]
}

type Body = Readonly<Record<string, unknown>>

/** A gateway before several scripted providers. */
export interface RoutingWorld extends Omit<World, 'provider'> {
  provider(name: string): ScriptedProvider
  /** How many requests each provider got. */
  counts(): Record<string, number>
  receiptOf(response: Response): Promise<ReceiptDetailView>
  /** Another workspace, with money and a key of its own. */
  another(name: string): Promise<{ readonly id: string; chat(body?: Body): Promise<Response> }>
  /** `GET /api/v1/admin/providers`, by name. */
  health(): Promise<Record<string, ProviderView>>
  configuration(changes?: Readonly<Record<string, unknown>>): Record<string, unknown>
}

export async function startRoutingWorld(options: RoutingWorldOptions): Promise<RoutingWorld> {
  const names = Object.keys(options.providers)
  const scripted = new Map<string, ScriptedProvider>()
  for (const [name, script] of Object.entries(options.providers)) {
    scripted.set(name, await startScriptedProvider(script))
  }

  function configuration(changes: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
    const providers = names.map((name) => [
      name,
      {
        wire: 'openai-chat',
        base_url: scripted.get(name)?.baseUrl,
        api_key: `${name}-secret`,
        timeouts: { connect: '30s', first_event: '30s', whole: '30s', idle: '30s' },
        ...options.settings?.[name],
      },
    ])
    return {
      server: { admin_token: ADMIN_TOKEN },
      providers: Object.fromEntries(providers) as unknown,
      models: [
        standardModel({ targets: names.map((provider) => ({ provider, model: 'm' })), ...options.model }),
        ...(options.models ?? []),
      ],
      ...changes,
    }
  }

  const world = await startWorld({
    config: () => configuration(),
    workspace: { requests_per_minute: 1_000_000 },
  })

  function providerOf(name: string): ScriptedProvider {
    const found = scripted.get(name)
    if (!found) throw new Error(`no provider ${name}`)
    return found
  }

  async function stop(): Promise<void> {
    await world.stop()
    for (const provider of scripted.values()) provider.stop()
  }

  // Getters of the world are copied as they are: none of them changes.
  const { provider: _, ...rest } = world
  return Object.assign(rest, {
    provider: providerOf,
    counts: () => Object.fromEntries(names.map((name) => [name, providerOf(name).requests.length])),
    async receiptOf(response: Response) {
      const id = response.headers.get('x-request-id') ?? ''
      if (!response.bodyUsed) await response.text()
      await world.settled()
      return receiptOf(world.operations, id)
    },
    async another(name: string) {
      const { operations } = world
      const { id } = await operations.createWorkspace({
        name,
        type: 'personal',
        requests_per_minute: 1_000_000,
      })
      await operations.credit(id, { amount_usd: '10' })
      const { key } = await operations.createKey(id, { name })
      return { id, chat: (body: Body = {}) => world.chat(body, { authorization: `Bearer ${key}` }) }
    },
    async health() {
      const response = await checkedFetch(`${world.url}/api/v1/admin/providers`, {
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      })
      const { data } = (await jsonOf(response)) as unknown as { data: ProviderView[] }
      return Object.fromEntries(data.map((view) => [view.id, view]))
    },
    configuration,
    stop,
    [Symbol.asyncDispose]: stop,
  })
}

/** The names of the providers that were called for a request, with how each call ended. */
export function attemptsOf(receipt: ReceiptDetailView): string[] {
  return receipt.attempts.map(({ provider, outcome }) => `${provider} ${outcome}`)
}
