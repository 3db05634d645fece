import { mustSkip, sharedPostgres } from '../support/postgres.ts'
import type { ProcessWorldOptions } from '../support/processWorld.ts'

/** The databases that processes can share. */
export const PROCESS_ENGINES = [
  {
    name: 'sqlite',
    skipped: false,
    database: (): Promise<Pick<ProcessWorldOptions, 'postgresUrl'>> => Promise.resolve({}),
  },
  {
    name: 'postgres',
    skipped: mustSkip('several processes on one Postgres'),
    database: async (): Promise<Pick<ProcessWorldOptions, 'postgresUrl'>> => ({
      postgresUrl: await (await sharedPostgres()).createDatabase(),
    }),
  },
] as const
