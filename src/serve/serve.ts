import type { Logger } from 'pino'
import { placeOf } from '../config/databasePlace.ts'
import type { LoadResult } from '../config/loadSettings.ts'
import type { ConfigFlags } from '../config/overrides.ts'
import { formatProblems } from '../config/problem.ts'
import type { Settings } from '../config/settings.ts'
import type { Gateway } from '../gateway/gateway.ts'
import { AddressInUse, AddressUnavailable, startGateway } from '../gateway/startGateway.ts'
import { createLog } from '../observe/log.ts'
import type { OperationDeps } from '../operations/deps.ts'
import type { Platform } from '../platform.ts'
import { banner, commandFrom, listening } from './banner.ts'
import { fingerprint } from './fingerprint.ts'
import { type DemoKey, firstStart } from './firstStart.ts'
import { portOwner } from './portOwner.ts'
import { reloadedLine } from './reloadedLine.ts'
import { createReloader, LOOK_INTERVAL_MS, type Loaded } from './reloader.ts'
import { type StoredFacts, storedFacts } from './storedFacts.ts'

export interface ServeOptions {
  readonly loaded: Loaded
  /** Reads the configuration anew, from this file where one is named. */
  readonly load: (file: string | undefined) => LoadResult
  readonly out: (text: string) => void
  readonly version: string
  /** Path of the `tollgate` command. */
  readonly command: string
  /** What this process was started with. */
  readonly flags: ConfigFlags
  readonly platform: Platform
  /** Called once, before the first request is answered that is for neither health nor metrics. */
  readonly onFirstRequest: () => void
}

/** How long a start that is no longer wanted may take to end, in milliseconds: its database may not answer. */
const ABANDONED_START_LIMIT_MS = 2_000

/**
 * Runs the gateway until SIGTERM or SIGINT; gives the exit code. Throws when it cannot start, and when the first start
 * fails, once it has stopped. Its caller has to end the process: what waits for a database that does not answer may still be under way.
 */
export async function serve(options: ServeOptions): Promise<number> {
  // Before anything that may take long: until then a signal would end the process in the middle of it.
  const { first: stopping, second: hurrying } = stopSignals()
  const { loaded, out, platform, onFirstRequest } = options
  const log = createLog({ level: loaded.settings.log.level })
  if (loaded.warnings.length > 0) log.warn(formatProblems(loaded.warnings))
  const first = await lookAt(loaded.file)
  const starting = startGateway({ settings: loaded.settings, log, platform, onFirstRequest }).catch(
    explainAddress,
  )
  const gateway = await Promise.race([starting, stopping.then(() => undefined)])
  if (!gateway) {
    log.info({ signal: await stopping }, 'shutting down before the start is over')
    void hurrying.then(() => process.exit(1))
    await abandon(starting, platform)
    return 0
  }

  const stopWatching = followConfiguration({ ...options, gateway, log, first })
  const greeted = greet(gateway, options, log).then(out)
  try {
    const signal = await Promise.race([stopping, greeted.then(() => stopping)])
    log.info({ signal, open_calls: gateway.openCalls }, 'shutting down')
    if (process.stdout.isTTY) out(stopHint(gateway.openCalls, gateway.drainMs))
    return 0
  } catch (error) {
    log.error({ err: error, open_calls: gateway.openCalls }, 'the first start failed; shutting down')
    throw error
  } finally {
    stopWatching()
    void hurrying.then(gateway.hurry)
    await gateway.stop()
  }
}

/** Stops what has started after all. How a start fails that nobody waits for is no matter. */
async function abandon(starting: Promise<Gateway>, { sleep }: Platform): Promise<void> {
  const ended = starting.then(
    (gateway) => gateway.stop(),
    () => undefined,
  )
  await Promise.race([ended, sleep(ABANDONED_START_LIMIT_MS)])
}

/**
 * What is printed once the gateway listens. Throws when the first start fails: without its key nobody can try anything.
 * What else the database cannot say is left out.
 */
async function greet(gateway: Gateway, options: ServeOptions, log: Logger): Promise<string> {
  const { loaded, platform } = options
  const deps: OperationDeps = {
    clock: platform.now,
    ids: platform.ids,
    hash: platform.hash,
    store: gateway.store,
    models: () => loaded.settings.models,
    providersHealth: gateway.providersHealth,
  }
  const demoKey = await firstStart(deps, loaded.settings)
  try {
    return welcome(gateway, options, demoKey, await storedFacts(gateway.store, loaded.settings))
  } catch (error) {
    log.warn({ err: error }, 'the gateway listens, but its first lines could not be read from the database')
    // The key's secret is nowhere else.
    if (demoKey) return welcome(gateway, options, demoKey, { hasWorkspaces: true, adminClosed: false })
    return listening({ version: options.version, url: gateway.url })
  }
}

interface Followed extends ServeOptions {
  readonly gateway: Gateway
  readonly log: Logger
  /** What the file looked like when it was read. */
  readonly first: string
}

/**
 * Puts a changed configuration in force, at SIGHUP and when its file changes. Once there is a file there is no way back
 * to none: without one the built-in demo would be served.
 */
function followConfiguration({ loaded, load, platform, gateway, log, first }: Followed): () => void {
  let { settings, file } = loaded
  const reloader = createReloader(
    {
      look: () => lookAt(file),
      load: () => load(file),
      apply(next) {
        // Against what this process runs with: it may have been told of the same change before.
        for (const name of needRestart(loaded.settings, next.settings)) {
          log.warn(`${name} has changed; that takes effect at the next start`)
        }
        if (next.warnings.length > 0) log.warn(formatProblems(next.warnings))
        const { fields, sentence, level } = reloadedLine(settings.models, next.settings.models)
        ;({ settings, file } = next)
        gateway.reload(settings)
        log[level](fields, sentence)
      },
      refuse: (problems) =>
        log.error(
          `The new configuration has mistakes; the old one stays in use.\n${formatProblems(problems)}`,
        ),
      monotonic: platform.monotonic,
    },
    first,
  )
  const failed = (error: unknown): void => log.error({ err: error }, 'the configuration was not reloaded')
  const ask = (): void => void reloader.ask().catch(failed)
  const timer = setInterval(() => void reloader.look().catch(failed), LOOK_INTERVAL_MS)
  process.on('SIGHUP', ask)
  return () => {
    clearInterval(timer)
    process.off('SIGHUP', ask)
  }
}

/** Without a file nothing is looked at: one that appears takes effect at SIGHUP. */
async function lookAt(file: string | undefined): Promise<string> {
  return file === undefined ? '' : fingerprint(file)
}

/** Says who has the port or what is wrong with the address, and what to do. */
function explainAddress(error: unknown): never {
  if (error instanceof AddressUnavailable) {
    throw new Error(
      `${error.message}. Choose another address with --host, TOLLGATE_HOST or server.host: 127.0.0.1 for this machine only, 0.0.0.0 for all of its addresses.`,
      { cause: error },
    )
  }
  if (!(error instanceof AddressInUse)) throw error
  const owner = portOwner(error.port) ?? 'another process'
  throw new Error(
    `${error.message} by ${owner}. Stop that, or choose another port with --port, TOLLGATE_PORT or server.port.`,
    { cause: error },
  )
}

function welcome(
  gateway: Gateway,
  { loaded: { settings, file }, version, command, flags }: ServeOptions,
  demoKey: DemoKey | undefined,
  facts: StoredFacts,
): string {
  return banner({
    version,
    command: commandFrom(process.cwd(), command),
    flags,
    url: gateway.url,
    file,
    data: placeOf(settings.database),
    models: settings.models.map((model) => model.id),
    demoKey,
    ...facts,
  })
}

/** Settings that a running process cannot change. */
function needRestart(before: Settings, after: Settings): string[] {
  const names: string[] = []
  if (before.server.host !== after.server.host || before.server.port !== after.server.port) {
    names.push('server.host or server.port')
  }
  if (JSON.stringify(before.server.metricsAddress) !== JSON.stringify(after.server.metricsAddress)) {
    names.push('server.metrics_address')
  }
  if (JSON.stringify(before.database) !== JSON.stringify(after.database)) names.push('database')
  if (before.log.level !== after.log.level) names.push('log.level')
  return names
}

/** What a person hears who has stopped the gateway with Ctrl-C; empty where there is nothing to wait for. */
export function stopHint(openCalls: number, drainMs: number): string {
  if (openCalls === 0) return ''
  const calls = openCalls === 1 ? 'one call' : `${openCalls} calls`
  return `Waiting for ${calls}, at most ${durationText(drainMs)}. Press Ctrl-C again to end now.\n`
}

function durationText(ms: number): string {
  const seconds = Math.ceil(ms / 1_000)
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`
}

/** The signals to stop, of either kind; a third one ends the process whatever is under way. */
function stopSignals(): { readonly first: Promise<NodeJS.Signals>; readonly second: Promise<void> } {
  const first = Promise.withResolvers<NodeJS.Signals>()
  const second = Promise.withResolvers<void>()
  let seen = 0
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      seen++
      if (seen === 1) first.resolve(signal)
      else if (seen === 2) second.resolve()
      else process.exit(1)
    })
  }
  return { first: first.promise, second: second.promise }
}
