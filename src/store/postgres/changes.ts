import type { SQL } from 'bun'
import type { KeyId, WorkspaceId } from '../../core/id.ts'
import { isJsonObject, parseJson } from '../../core/json.ts'
import type { Change, ChangeFeed } from '../queries/directory.ts'
import { createClient } from './client.ts'

/** Changes of keys and workspaces, made by any process. */
export interface Changes extends ChangeFeed {
  close(): Promise<void>
}

const CHANNEL = 'tollgate_changes'
/** While nobody tells us of changes, anything may have changed: that is said so often, in milliseconds. */
const DEAF_INTERVAL_MS = 400

/**
 * Listens on a connection of its own. Notifications come within milliseconds of the commit. While the
 * connection is down, or on a server that knows no LISTEN, the listeners hear again and again that
 * anything may have changed, so that nobody serves by what it remembers for longer than that.
 *
 * @param announceTo publishes a payload on a channel to every process that listens
 */
export async function listenForChanges(
  url: string,
  announceTo: (channel: string, payload: string) => Promise<void>,
): Promise<Changes> {
  const listeners = new Set<(change: Change) => void>()
  let client: SQL | undefined
  let closed = false
  let deaf: ReturnType<typeof setInterval> | undefined

  function emit(change: Change): void {
    for (const listener of listeners) listener(change)
  }

  async function subscribe(): Promise<void> {
    const candidate: SQL = createClient(url, {
      max: 1,
      onclose: () => lose(candidate),
    })
    client = candidate
    try {
      await candidate.listen(CHANNEL, (payload) => emit(decode(payload)))
    } catch {
      lose(candidate)
      return
    }
    if (client !== candidate) return
    clearInterval(deaf)
    deaf = undefined
    // What was announced in between is lost.
    emit({})
  }

  function lose(lost: SQL): void {
    if (client !== lost) return
    client = undefined
    // The client would come back by itself, but its pauses grow up to half a minute.
    void lost.close({ timeout: 0 })
    if (closed || deaf) return
    emit({})
    deaf = setInterval(() => {
      emit({})
      if (!client) void subscribe()
    }, DEAF_INTERVAL_MS)
  }

  await subscribe()
  return {
    async announce(change) {
      emit(change)
      await announceTo(CHANNEL, JSON.stringify(change))
    },
    subscribe(listener) {
      // A wrapper of its own: the same function may listen twice.
      const own = (change: Change): void => listener(change)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    async close() {
      closed = true
      clearInterval(deaf)
      const last = client
      client = undefined
      await last?.close({ timeout: 0 })
    },
  }
}

/** A payload that says nothing we know may mean any change. */
function decode(payload: string): Change {
  const value = parseJson(payload)
  if (!isJsonObject(value)) return {}
  const { key, workspace } = value
  return {
    ...(typeof key === 'string' && { key: key as KeyId }),
    ...(typeof workspace === 'string' && { workspace: workspace as WorkspaceId }),
  }
}
