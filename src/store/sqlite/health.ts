import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { StoreUnavailable } from '../../core/ports/till.ts'
import { isDiskFault } from './connection.ts'
import { createSharedProof } from '../sharedProof.ts'
import { fileIdentity } from './fileIdentity.ts'

/** How often file and disk are looked at: three calls of the system, whatever the traffic is. */
const LOOK_INTERVAL_MS = 500
/** Less room on the disk than this takes no new calls: those in flight still have to be settled. */
export const ROOM_MIN_BYTES = 4 * 1024 * 1024

type Faults = Partial<Record<'gone' | 'room' | 'write' | 'proof', StoreUnavailable>>

/** Whether this process can keep books in its file, as far as it knows; asking costs nothing. */
export interface Health {
  /** The open file is not the one that the path names: whatever is written would be lost. */
  gone(): StoreUnavailable | undefined
  /** Why no call may begin: what it costs could probably not be written. */
  closedForCalls(): StoreUnavailable | undefined
  /** A transaction failed. */
  failed(fault: StoreUnavailable): void
  /** Throws `StoreUnavailable` when no commit succeeded a moment ago. */
  prove(): Promise<void>
  stop(): void
}

/** Of a command that only reads: it is gone before anything could become of its file. */
export const UNWATCHED: Health = {
  gone: () => undefined,
  closedForCalls: () => undefined,
  failed: () => undefined,
  prove: () => Promise.resolve(),
  stop: () => undefined,
}

export interface HealthOptions {
  /** As it was configured: it may be a link. */
  readonly path: string
  readonly log: string
  /** Commits something small. */
  readonly write: () => Promise<void>
  /** Reports once when the store stops or begins to work, with what is wrong. */
  readonly onChange: (fault: StoreUnavailable | undefined) => void
}

export function watchHealth({ path, log, write, onChange }: HealthOptions): Health {
  const opened = { file: fileIdentity(path), log: fileIdentity(log) }
  const faults: Faults = {}
  let reported: keyof Faults | undefined
  let writing: Promise<void> | undefined

  function set(kind: keyof Faults, fault: StoreUnavailable | undefined): void {
    if (fault === undefined) delete faults[kind]
    else faults[kind] = fault
    const [worst] = KINDS.filter((one) => faults[one] !== undefined)
    if (worst === reported) return
    reported = worst
    onChange(worst && faults[worst])
  }

  function look(): void {
    set('gone', attempt(lookAtFile))
    if (faults.gone) return
    set('room', attempt(lookForRoom))
    // Nobody's call is needed to find out that the disk has room again. What fails is reported to `failed`.
    if (faults.write && !faults.room) writeOnce().catch(() => undefined)
  }

  function lookAtFile(): StoreUnavailable | undefined {
    const [file, logFile] = [fileIdentity(path), fileIdentity(log)]
    if (file === opened.file && logFile === opened.log) return undefined
    const name = file === opened.file ? log : path
    const what = (file === opened.file ? logFile : file) === undefined ? 'deleted' : 'replaced'
    return new StoreUnavailable(
      `SQLite: ${name} was ${what} while it is open, so what is written now would be lost: ` +
        'every call is refused until this process is started again, or the same file is back in its place',
    )
  }

  function lookForRoom(): StoreUnavailable | undefined {
    const { bavail, bsize } = statfsSync(dirname(log))
    if (bavail * bsize >= ROOM_MIN_BYTES) return undefined
    return new StoreUnavailable(`SQLite: the disk of ${path} is full: ${bavail * bsize} bytes are left`)
  }

  /** One write at a time, however many wait for it. */
  function writeOnce(): Promise<void> {
    return (writing ??= write()
      .then(() => {
        delete faults.proof
        set('write', undefined)
      })
      .finally(() => (writing = undefined)))
  }

  const prove = createSharedProof(
    async () => {
      look()
      if (!faults.gone && !faults.room) await writeOnce()
    },
    (fault) => set('proof', fault),
  )
  const timer = setInterval(look, LOOK_INTERVAL_MS)
  timer.unref()

  return {
    gone: () => faults.gone,
    closedForCalls: () => faults.gone ?? faults.room ?? faults.write,
    failed(fault) {
      if (isDiskFault(fault.cause)) set('write', fault)
    },
    async prove() {
      await prove()
      const [worst] = KINDS.flatMap((kind) => faults[kind] ?? [])
      if (worst) throw worst
    },
    stop: () => clearInterval(timer),
  }
}

/** What cannot even be looked at cannot be trusted. */
function attempt(look: () => StoreUnavailable | undefined): StoreUnavailable | undefined {
  try {
    return look()
  } catch (error) {
    return new StoreUnavailable(`SQLite: ${String(error)}`, { cause: error })
  }
}

/** The worst first: the others may only follow from it. */
const KINDS = ['gone', 'room', 'write', 'proof'] as const satisfies readonly (keyof Faults)[]
