import type { KeyId, WorkspaceId } from '../../core/id.ts'
import type { Change, ChangeFeed } from '../queries/directory.ts'
import type { Statements } from './statements.ts'

/** How soon this process hears of what another one changed in the same file. */
const POLL_INTERVAL_MS = 500

interface ChangeRow {
  readonly sequence: bigint
  readonly key_id: string | null
  readonly workspace_id: string | null
}

/** Tells of changes to keys and workspaces: this process's own at once, others' by looking for them. */
export function createChangeFeed(statements: Statements): ChangeFeed & { close(): void } {
  const listeners = new Set<(change: Change) => void>()
  const selectSince = statements.prepare<ChangeRow>(
    'select sequence, key_id, workspace_id from changes where sequence > ? order by sequence',
  )
  const selectLast = statements.prepare<{ sequence: bigint | null }>(
    'select max(sequence) as sequence from changes',
  )
  let last = 0n
  let timer: ReturnType<typeof setInterval> | undefined

  function tell(change: Change): void {
    for (const listener of listeners) listener(change)
  }

  function poll(): void {
    let rows: ChangeRow[]
    try {
      rows = selectSince.all(last)
    } catch {
      // The file is locked or gone; what it cannot tell now it tells next time, and `ping` reports it.
      return
    }
    // Old entries are deleted: with a gap, anything may have changed.
    const missed = rows[0] !== undefined && rows[0].sequence > last + 1n
    last = rows.at(-1)?.sequence ?? last
    if (missed) tell({})
    else for (const row of rows) tell(changeOf(row))
  }

  function start(): void {
    last = selectLast.get()?.sequence ?? 0n
    timer = setInterval(poll, POLL_INTERVAL_MS)
    timer.unref()
  }

  function stop(): void {
    clearInterval(timer)
    timer = undefined
  }

  return {
    announce: tell,
    subscribe(listener) {
      listeners.add(listener)
      if (!timer) start()
      return () => {
        listeners.delete(listener)
        if (listeners.size === 0) stop()
      }
    },
    close: stop,
  }
}

function changeOf({ key_id: key, workspace_id: workspace }: ChangeRow): Change {
  return {
    ...(key !== null && { key: key as KeyId }),
    ...(workspace !== null && { workspace: workspace as WorkspaceId }),
  }
}
