import type { ConfigFlags } from '../config/overrides.ts'
import type { Acting } from '../operations/act.ts'
import type { Command } from './command.ts'
import type { CommandContext } from './commandContext.ts'
import { type DataSettings, dataSettingsOf, settingsOf } from './configuration.ts'
import type { CliDeps, Io } from './deps.ts'
import { installationOf, refuseRemote } from './installation.ts'
import { withLocalOperations, withLocalStore } from './localWork.ts'
import { createOutput } from './output.ts'
import type { Arguments } from './parseArguments.ts'
import { withRemoteOperations } from './remoteWork.ts'
import { nonEmpty } from './nonEmpty.ts'

/** What one run of a command works with. Throws `UsageError` for options that contradict each other. */
export function createContext(
  command: Command,
  { values, switches }: Arguments,
  io: Io,
  deps: CliDeps,
): CommandContext {
  const given = { command, values, switches }
  const value = (name: string) => (Object.hasOwn(values, name) ? values[name] : undefined)
  const flags: ConfigFlags = {
    host: value('host'),
    port: value('port'),
    databaseUrl: value('database-url'),
    adminToken: value('admin-token'),
    config: value('config'),
  }
  const installation = installationOf(command, value, io.env)
  const { remoteUrl, inheritedUrl } = installation
  const output = createOutput(given, io)
  const load = () => deps.loadSettings(flags)
  const data = (): DataSettings => dataSettingsOf(load(), flags, io.env)

  return {
    io,
    deps,
    value,
    required: (name) => value(name) ?? '',
    isOn: (name) => switches.has(name),
    flags,
    settings: () => settingsOf(load()),
    database: () => data().database,
    models: () => data().models(),
    load,
    get act() {
      const { user, host } = deps.person()
      const by: Acting = { actor: { kind: 'command_line', name: user }, address: host, requestId: null }
      return { idempotencyKey: value('idempotency-key'), by }
    },
    remoteUrl,
    localOnly: () => refuseRemote(installation),
    sayLocal: (what) => {
      if (inheritedUrl !== undefined) io.err(`${what} here, not at TOLLGATE_URL (${inheritedUrl}).\n`)
    },
    withOperations: async (work) => {
      if (remoteUrl === undefined) {
        return withLocalOperations({ given, deps, data: data() }, work, output.sayChanged)
      }
      const adminToken = flags.adminToken ?? nonEmpty(io.env['TOLLGATE_ADMIN_TOKEN'])
      const { warn, sayChanged } = output
      const remote = { given, url: remoteUrl, adminToken, fetch: deps.fetch, warn }
      return withRemoteOperations(remote, work, sayChanged)
    },
    withStore: async (work) => {
      refuseRemote(installation)
      return withLocalStore({ given, deps, data: data() }, work)
    },
    show: output.show,
  }
}
