import { createLocalOperations, type OperationDeps } from '../operations/localOperations.ts'

/** What a newcomer gets to spend. */
const DEMO_BALANCE_USD = '10.00'

export interface DemoKey {
  /** Shown once, then only its hash is known. */
  readonly secret: string
  readonly balanceUsd: string
}

/** In an empty store: creates a workspace with a demo balance and a key. Undefined when there is a workspace already. */
export async function firstStart(deps: OperationDeps): Promise<DemoKey | undefined> {
  const operations = createLocalOperations(deps)
  const existing = await operations.workspaces({ limit: '1' })
  if (existing.data.length > 0) return undefined
  const workspace = await operations.createWorkspace({ name: 'demo', type: 'personal' })
  await operations.credit(workspace.id, { amount_usd: DEMO_BALANCE_USD, note: 'demo balance' })
  const { key } = await operations.createKey(workspace.id, { name: 'demo' })
  return { secret: key, balanceUsd: DEMO_BALANCE_USD }
}
