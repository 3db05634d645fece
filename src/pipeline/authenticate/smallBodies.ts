import type { WorkspaceId } from '../../core/id.ts'
import { Tally } from './tally.ts'

/** So many bytes of small bodies fit beside all others. */
export const SMALL_BODIES_BYTES = 16 * 1024 * 1024

/**
 * Room that only small bodies take. A workspace may take as much as it leaves free: half of it alone, a third where
 * another has a third. So there is always some for one that has nothing yet.
 */
export interface SmallBodies {
  readonly bytes: number
  hasRoom(workspaceId: WorkspaceId, bytes: number): boolean
  take(workspaceId: WorkspaceId, bytes: number): void
  giveBack(workspaceId: WorkspaceId, bytes: number): void
}

/** @param bytesMax default: 16 MiB */
export function createSmallBodies(bytesMax: number = SMALL_BODIES_BYTES): SmallBodies {
  const taken = new Tally<WorkspaceId>()
  return {
    get bytes() {
      return taken.total
    },
    hasRoom: (id, bytes) => taken.of(id) + bytes <= bytesMax - taken.total - bytes,
    take: (id, bytes) => taken.add(id, bytes),
    giveBack: (id, bytes) => taken.add(id, -bytes),
  }
}
