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
/** What a process that listens says to hear itself. It names nothing: whoever takes it for a change forgets all. */
const PROBE = JSON.stringify({})
/** While nobody tells us of changes, anything may have changed: that is said so often, in milliseconds. */
const DEAF_INTERVAL_MS = 400
/** Who has not heard itself after this, in milliseconds, is told of no changes. */
const HEARING_TIMEOUT_MS = 5_000

export interface ChangesOptions {
  /** The database's URL, to listen there on a connection of its own. Absent: nobody listens, as in a command. */
  readonly listenAt?: string
  /** Publishes a payload on a channel to every process that listens. */
  announceTo(channel: string, payload: string): Promise<void>
  readonly warn?: ((sentence: string) => void) | undefined
  /** Default: `HEARING_TIMEOUT_MS`. */
  readonly hearingTimeoutMs?: number
}

/**
 * Notifications come within milliseconds of the commit. While the connection is down, or a pooler or a server carries
 * no notifications, the listeners hear again and again that anything may have changed, so that nobody serves by what it
 * remembers for longer than that. Whether they are carried is found out by a notification to ourselves.
 */
export async function createChanges({
  listenAt,
  announceTo,
  warn,
  hearingTimeoutMs = HEARING_TIMEOUT_MS,
}: ChangesOptions): Promise<Changes> {
  const listeners = new Set<(change: Change) => void>()
  let client: SQL | undefined
  let closed = false
  let deaf: ReturnType<typeof setInterval> | undefined
  let hearing: ReturnType<typeof setTimeout> | undefined
  let warned = false

  function emit(change: Change): void {
    for (const listener of listeners) listener(change)
  }

  async function subscribe(url: string): Promise<void> {
    const candidate: SQL = createClient(url, {
      max: 1,
      connection: { application_name: 'tollgate' },
      onclose: () => lose(candidate, url),
    })
    client = candidate
    try {
      await candidate.listen(CHANNEL, (payload) => hear(candidate, payload))
      await announceTo(CHANNEL, PROBE)
    } catch {
      lose(candidate, url)
      return
    }
    if (client === candidate && deaf && !warned) hearing = setTimeout(tellDeafness, hearingTimeoutMs)
  }

  function tellDeafness(): void {
    warned = true
    warn?.(
      'the database sends this process no notifications (LISTEN), as behind a pooler that pools transactions: this process sees changes of others, such as a revoked key, within a second',
    )
  }

  function hear(from: SQL, payload: string): void {
    if (client !== from) return
    const couldNotHear = deaf !== undefined
    clearInterval(deaf)
    clearTimeout(hearing)
    deaf = undefined
    // What was announced in between is lost.
    if (couldNotHear) emit({})
    else if (payload !== PROBE) emit(decode(payload))
  }

  function lose(lost: SQL, url: string): void {
    if (client !== lost) return
    client = undefined
    clearTimeout(hearing)
    // The client would come back by itself, but its pauses grow up to half a minute.
    void lost.close({ timeout: 0 })
    becomeDeaf(url)
  }

  function becomeDeaf(url: string): void {
    if (closed || deaf) return
    emit({})
    deaf = setInterval(() => {
      emit({})
      if (!client) void subscribe(url)
    }, DEAF_INTERVAL_MS)
  }

  if (listenAt !== undefined) {
    becomeDeaf(listenAt)
    await subscribe(listenAt)
  }
  return {
    async announce(change) {
      emit(change)
      try {
        await announceTo(CHANNEL, JSON.stringify(change))
      } catch (error) {
        // What it tells of is committed, and its answer may hold a secret that is nowhere else.
        warn?.(
          `other processes could not be notified of a change (${String(error)}); they see it within a second all the same`,
        )
      }
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
      clearTimeout(hearing)
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
