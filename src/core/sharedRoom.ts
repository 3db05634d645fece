import type { WorkspaceId } from './id.ts'
import { Tally } from './tally.ts'

/**
 * Room for bytes that workspaces share. A workspace may take as much as it leaves free: half of it alone, a third where
 * another has a third. So there is always some for one that has nothing yet.
 */
export interface SharedRoom {
  readonly bytes: number
  /** Taken by one workspace. */
  of(workspaceId: WorkspaceId): number
  hasRoom(workspaceId: WorkspaceId, bytes: number): boolean
  take(workspaceId: WorkspaceId, bytes: number): void
  giveBack(workspaceId: WorkspaceId, bytes: number): void
}

/** @param bytesMax the current limit, asked at each taking */
export function createSharedRoom(bytesMax: () => number): SharedRoom {
  const taken = new Tally<WorkspaceId>()
  return {
    get bytes() {
      return taken.total
    },
    of: (id) => taken.of(id),
    hasRoom: (id, bytes) => taken.of(id) + bytes <= bytesMax() - taken.total - bytes,
    take: (id, bytes) => taken.add(id, bytes),
    giveBack: (id, bytes) => taken.add(id, -bytes),
  }
}
