import { type Stats, unwatchFile, watchFile } from 'node:fs'
import type { LoadResult } from '../config/loadSettings.ts'
import { formatProblems } from '../config/problem.ts'
import type { Settings } from '../config/settings.ts'
import { AddressInUse, type Gateway, startGateway } from '../gateway.ts'
import { createLog } from '../observe/log.ts'
import type { OperationDeps } from '../operations/localOperations.ts'
import { banner } from './banner.ts'
import { firstStart } from './firstStart.ts'
import { portOwner } from './portOwner.ts'

export type Loaded = Extract<LoadResult, { ok: true }>

export interface ServeOptions {
  readonly loaded: Loaded
  /** Reads the configuration anew, for a reload. */
  readonly load: () => LoadResult
  readonly out: (text: string) => void
  readonly version: string
  readonly operations: Pick<OperationDeps, 'clock' | 'ids' | 'hash'>
}

/** Editors write a file in several steps; a reload waits until it has been quiet for this long. */
const RELOAD_QUIET_MS = 200
/** How often the configuration file is looked at. */
const LOOK_INTERVAL_MS = 500

/** Runs the gateway until SIGTERM or SIGINT; gives the exit code. Throws when it cannot start. */
export async function serve(options: ServeOptions): Promise<number> {
  const { loaded, out } = options
  const log = createLog({ level: loaded.settings.log.level })
  if (loaded.warnings.length > 0) log.warn(formatProblems(loaded.warnings))
  const gateway = await startGateway({ settings: loaded.settings, log }).catch(explainAddress)
  out(await welcome(gateway, options))

  let current = loaded.settings
  function reload(): void {
    const next = options.load()
    if (!next.ok) {
      log.error(
        `The configuration has mistakes; the old one stays in force.\n${formatProblems(next.problems)}`,
      )
      return
    }
    for (const name of needRestart(current, next.settings)) {
      log.warn(`${name} has changed; that takes effect at the next start`)
    }
    current = next.settings
    gateway.reload(next.settings)
    log.info('the configuration was reloaded')
  }
  process.on('SIGHUP', reload)
  const stopWatching = loaded.file === undefined ? () => undefined : watchConfiguration(loaded.file, reload)

  const signal = await stopSignal()
  log.info({ signal, open_calls: gateway.openCalls }, 'shutting down')
  stopWatching()
  process.off('SIGHUP', reload)
  await gateway.stop()
  return 0
}

/** Names who has the port, and what to do. */
function explainAddress(error: unknown): never {
  if (!(error instanceof AddressInUse)) throw error
  const owner = portOwner(error.port) ?? 'another process'
  throw new Error(
    `${error.message} by ${owner}. Stop that, or choose another port with --port, TOLLGATE_PORT or server.port.`,
    { cause: error },
  )
}

async function welcome(gateway: Gateway, { loaded, version, operations }: ServeOptions): Promise<string> {
  const { settings, file } = loaded
  const deps: OperationDeps = {
    ...operations,
    store: gateway.store,
    models: () => settings.models,
    providersHealth: gateway.providersHealth,
  }
  const demoKey = settings.demo ? await firstStart(deps) : undefined
  const workspaces = await gateway.store.directory.workspaces({ limit: 1 })
  return banner({
    version,
    url: gateway.url,
    file,
    models: settings.models.map((model) => model.id),
    demoKey,
    hasWorkspaces: workspaces.items.length > 0,
  })
}

/** Settings that a running process cannot change. */
function needRestart(before: Settings, after: Settings): string[] {
  const names: string[] = []
  if (before.server.host !== after.server.host || before.server.port !== after.server.port) {
    names.push('server.host or server.port')
  }
  if (JSON.stringify(before.database) !== JSON.stringify(after.database)) names.push('database')
  if (before.log.level !== after.log.level) names.push('log.level')
  return names
}

/**
 * Looks at the file itself, by its path. Watching its folder would wake this process for every write to a
 * database that lies beside it, several times per request.
 */
function watchConfiguration(path: string, onChange: () => void): () => void {
  let timer: NodeJS.Timeout | undefined
  function changed(now: Stats, before: Stats): void {
    if (now.mtimeMs === before.mtimeMs && now.ino === before.ino) return
    clearTimeout(timer)
    timer = setTimeout(onChange, RELOAD_QUIET_MS)
  }
  watchFile(path, { interval: LOOK_INTERVAL_MS }, changed)
  return () => {
    clearTimeout(timer)
    unwatchFile(path, changed)
  }
}

/** The first signal to stop; a second one ends the process at once. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        process.once(signal, () => process.exit(1))
        resolve(signal)
      })
    }
  })
}
