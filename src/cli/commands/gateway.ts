import { formatProblems, formatWarnings } from '../../config/problem.ts'
import type { Settings } from '../../config/settings.ts'
import { printableStart } from '../../core/printable.ts'
import { type Command, CONFIG_OPTIONS } from '../command.ts'
import { placeOf } from '../../config/databasePlace.ts'
import { amount, table } from '../table.ts'
import { UsageError } from '../usageError.ts'

const serve: Command = {
  name: 'serve',
  summary: 'run the gateway',
  positionals: [],
  options: {
    ...CONFIG_OPTIONS,
    host: { value: 'HOST', help: 'address to listen on (TOLLGATE_HOST; default 127.0.0.1)' },
    port: { value: 'PORT', help: 'port to listen on (TOLLGATE_PORT; default 4100)' },
    'admin-token': {
      value: 'TOKEN',
      help: 'opens the admin API, beside those of "token create" (TOLLGATE_ADMIN_TOKEN)',
    },
    json: { help: 'has no effect on this command: the log is always JSON' },
  },
  notes:
    'Without a configuration file it serves a built-in demo provider, and every known provider that has known models and whose API key is in the environment.',
  examples: ['tollgate serve', 'tollgate serve --config tollgate.yaml --port 8080'],
  run: async (context) => {
    const loaded = context.load()
    if (!loaded.ok) {
      context.io.err(`${formatProblems(loaded.problems)}\n`)
      return 1
    }
    if (loaded.warnings.length > 0) context.io.err(`${formatWarnings(loaded.warnings)}\n`)
    return context.deps.serve(loaded, context.flags)
  },
}

const check: Command = {
  name: 'check',
  summary: 'check the configuration and report every mistake in it',
  positionals: [
    { name: 'config', required: false, help: 'configuration file (TOLLGATE_CONFIG; default tollgate.yaml)' },
  ],
  options: {
    'database-url': CONFIG_OPTIONS['database-url'] ?? { value: 'URL', help: 'database' },
    host: { value: 'HOST', help: 'check it with this address to listen on' },
    port: { value: 'PORT', help: 'check it with this port' },
    'admin-token': { value: 'TOKEN', help: 'check it with this admin token' },
  },
  examples: ['tollgate check', 'tollgate check --config staging.yaml --json'],
  run: async (context) => {
    context.sayLocal('Checking the configuration')
    const loaded = context.load()
    if (!loaded.ok) {
      const failed = { ok: false, problems: loaded.problems, warnings: [] }
      if (context.isOn('json')) context.show(failed, () => '')
      else context.io.err(`${formatProblems(loaded.problems)}\n`)
      return 1
    }
    const { file, warnings, settings } = loaded
    if (warnings.length > 0 && !context.isOn('json')) context.io.err(`${formatWarnings(warnings)}\n`)
    const counts = { providers: settings.providers.size, models: settings.models.length }
    context.show({ ok: true, file: file ?? null, ...counts, problems: [], warnings }, () => {
      const what = file === undefined ? 'No configuration file; the defaults are' : `${file} is`
      return `${what} in order: ${amount(counts.providers, 'provider')}, ${amount(counts.models, 'model')}.\n`
    })
    return 0
  },
}

const migrate: Command = {
  name: 'migrate',
  summary: 'update the schema of the database',
  positionals: [],
  options: CONFIG_OPTIONS,
  notes: '"serve" and every command that changes data update the schema too. This command does only that.',
  examples: ['tollgate migrate --database-url postgres://tollgate@db/tollgate'],
  run: async (context) => {
    context.localOnly()
    const database = context.database()
    const store = await context.deps.openStore(database, 'change')
    await store.close()
    const view = { database: placeOf(database), schema: 'up to date' }
    context.show(view, ({ schema }) => `The schema of ${view.database} is ${schema}.\n`)
    return 0
  },
}

const testProviders: Command = {
  name: 'providers test',
  summary: 'send each provider, or one, a small request',
  positionals: [{ name: 'name', required: false, help: 'this provider only' }],
  options: CONFIG_OPTIONS,
  notes:
    'Tests the address, the credential and the model name. A provider may charge for the request. Exit code 1 when a provider fails.',
  examples: ['tollgate providers test', 'tollgate providers test openai'],
  run: async (context) => {
    context.sayLocal('Testing the providers configured')
    const settings = context.settings()
    const name = context.value('name')
    if (name !== undefined && !settings.providers.has(name)) throw unknownProvider(name, settings)
    const tests = []
    for await (const test of context.deps.testProviders(settings, name)) tests.push(test)
    const data = tests.map(({ durationMs, detail, ...test }) => ({
      ...test,
      duration_ms: durationMs,
      detail: detail ?? null,
    }))
    context.show({ data }, () =>
      table(
        data,
        [
          { title: 'PROVIDER', cell: (row) => row.provider },
          { title: 'MODEL', cell: (row) => row.model },
          { title: 'RESULT', cell: (row) => (row.ok ? 'ok' : 'FAILED') },
          { title: 'MS', cell: (row) => Math.round(row.duration_ms), right: true },
          { title: 'DETAIL', cell: (row) => row.detail },
        ],
        'No providers are configured.',
      ),
    )
    return data.every(({ ok }) => ok) ? 0 : 1
  },
}

function unknownProvider(name: string, { providers }: Settings): UsageError {
  return new UsageError(
    `there is no provider "${printableStart(name)}"; configured: ${[...providers.keys()].join(', ')}`,
  )
}

const version: Command = {
  name: 'version',
  summary: 'say which version this is, and from which commit the one file was built',
  positionals: [],
  options: {},
  examples: ['tollgate version', 'tollgate version --json'],
  run: async (context) => {
    const { version, commit } = context.deps
    context.show({ version, commit }, () => `tollgate ${version}${commit === null ? '' : ` (${commit})`}\n`)
    return 0
  },
}

export const gatewayCommands = [serve, check, migrate, testProviders, version]
