import { fdatasync, openSync, closeSync } from 'node:fs'

/** How long a commit may wait for its sync; with the sync itself well within the 100 ms that are promised. */
const SYNC_AFTER_MS = 50

export interface LogSync {
  /** Something was committed: see that it reaches the disk soon. */
  committed(): void
  /** The last sync's failure, until one succeeds. */
  failure(): Error | undefined
  close(): void
}

/**
 * Brings the write-ahead log to the disk in the background. With `synchronous = normal` SQLite itself
 * does so only at a checkpoint: a power failure would cost everything since then.
 * The log has no locks on it, so opening it beside SQLite takes none away.
 * @param onSync called when what was committed before has reached the disk
 */
export function createLogSync(databasePath: string, onSync: () => void = () => {}): LogSync {
  const file = openSync(`${databasePath}-wal`, 'r')
  let timer: ReturnType<typeof setTimeout> | undefined
  let syncing = false
  let again = false
  let closed = false
  let failure: Error | undefined

  function sync(): void {
    timer = undefined
    syncing = true
    again = false
    fdatasync(file, (error) => {
      syncing = false
      failure = error ?? undefined
      if (!failure) onSync()
      if (closed) closeSync(file)
      else if (again || error) schedule()
    })
  }

  function schedule(): void {
    timer = setTimeout(sync, SYNC_AFTER_MS)
    timer.unref()
  }

  return {
    committed() {
      if (syncing) again = true
      else if (!timer) schedule()
    },
    failure: () => failure,
    close() {
      closed = true
      clearTimeout(timer)
      if (!syncing) closeSync(file)
    },
  }
}
