import type { LoadResult } from '../config/loadSettings.ts'
import type { ConfigFlags } from '../config/overrides.ts'
import { type Problem, formatProblems } from '../config/problem.ts'
import { tokensOf } from '../config/secretsOf.ts'
import type { DatabaseSettings, Settings } from '../config/settings.ts'
import type { Model } from '../core/model.ts'
import type { Io } from './deps.ts'
import { CommandFailure } from './usageError.ts'

/** What a command on data needs of the configuration: a provider's key, for instance, is not among it. */
export interface DataSettings {
  readonly database: DatabaseSettings
  /** Throws when the catalogue has mistakes. */
  readonly models: () => readonly Model[]
  readonly secrets: () => readonly string[]
}

/** Where a mistake about the database is: in the file, a flag or a variable. */
const OF_DATABASE = /^(?:database(?:\.|$)|--database-url$|TOLLGATE_DATABASE_URL$)/

/** The whole configuration. Throws when anything of it is wrong. */
export function settingsOf(loaded: LoadResult): Settings {
  return loaded.ok ? loaded.settings : unusable(loaded.problems)
}

/** Throws when the database is wrong. Other mistakes, such as a secret that only the gateway has, do not matter here. */
export function dataSettingsOf(loaded: LoadResult, flags: ConfigFlags, env: Io['env']): DataSettings {
  if (loaded.ok) {
    const { settings } = loaded
    return {
      database: settings.database,
      models: () => settings.models,
      secrets: () => tokensOf(settings),
    }
  }
  const { problems, usable } = loaded
  const { database, models } = usable
  const ofDatabase = problems.filter(({ path }) => OF_DATABASE.test(path))
  return {
    database: database ?? unusable(ofDatabase.length > 0 ? ofDatabase : problems),
    models: () => models ?? unusable(problems),
    secrets: () => [flags.adminToken, env['TOLLGATE_ADMIN_TOKEN']].filter((token) => token !== undefined),
  }
}

function unusable(problems: readonly Problem[]): never {
  throw new CommandFailure(`the configuration has mistakes:\n${formatProblems(problems)}`)
}
