import type { Settings } from '../config/settings.ts'
import type { Store } from '../core/ports/store.ts'
import type { BannerFacts } from './banner.ts'

/** So many admin tokens are looked at for one in force. */
const NEWEST_TOKENS = 20

type Facts = Pick<Store, 'directory' | 'adminTokens'>

/** What the database says of the lines that a start prints. */
export type StoredFacts = Pick<BannerFacts, 'hasWorkspaces' | 'adminClosed'>

/** Reads them for the lines that a start prints. */
export async function storedFacts(
  store: Facts,
  { server }: { server: Pick<Settings['server'], 'adminToken'> },
): Promise<StoredFacts> {
  const workspaces = await store.directory.workspaces({ limit: 1 })
  return {
    hasWorkspaces: workspaces.items.length > 0,
    adminClosed: server.adminToken === undefined && !(await mayHaveToken(store)),
  }
}

/** Whether an admin token with a name is in force; also where the newest are all revoked and there are more. */
async function mayHaveToken({ adminTokens }: Facts): Promise<boolean> {
  const { items, nextCursor } = await adminTokens.tokens({ limit: NEWEST_TOKENS })
  return nextCursor !== undefined || items.some(({ revokedAt }) => revokedAt === null)
}
