import type { Settings } from '../config/settings.ts'
import { createLocalOperations } from '../operations/localOperations.ts'
import type { OperationDeps } from '../operations/deps.ts'

/** What a newcomer gets to spend. */
export const DEMO_BALANCE_USD = '10.00'

export interface DemoKey {
  /** Shown once, then only its hash is known. */
  readonly secret: string
  readonly balanceUsd: string
  /** One that the key may use. */
  readonly model: string
}

/**
 * In an empty store: creates a workspace with a demo balance and a key. It may use the demo's models alone: its key is
 * printed, and must not spend at a provider that asks for real money. Undefined when there is a workspace already, or
 * no such model.
 */
export async function firstStart(deps: OperationDeps, settings: Settings): Promise<DemoKey | undefined> {
  const models = demoModels(settings, deps.clock())
  const [model] = models
  if (model === undefined) return undefined
  const operations = createLocalOperations(deps)
  const existing = await operations.workspaces({ limit: '1' })
  if (existing.data.length > 0) return undefined
  const workspace = await operations.createWorkspace({ name: 'demo', type: 'personal', models })
  await operations.credit(workspace.id, { amount_usd: DEMO_BALANCE_USD, note: 'demo balance' })
  const { key } = await operations.createKey(workspace.id, { name: 'demo' })
  return { secret: key, balanceUsd: DEMO_BALANCE_USD, model }
}

/** Ids of the models that only the built-in demo serves: a fallback to another provider would cost. */
function demoModels({ models, providers }: Settings, now: number): string[] {
  const free = models.filter(
    ({ targets, retirement }) =>
      (retirement?.at ?? Infinity) > now &&
      targets.length > 0 &&
      targets.every(({ provider }) => providers.get(provider)?.provider.baseUrl.startsWith('demo:')),
  )
  return free.map(({ id }) => id)
}
