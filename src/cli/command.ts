import type { CommandContext } from './commandContext.ts'

/** One command of `tollgate`: what it takes, how it is explained, what it does. */
export interface Command {
  /** `workspace create` */
  readonly name: string
  /** One line, for the list of commands. */
  readonly summary: string
  /** In their order; each may also be given as an option of its name. */
  readonly positionals: readonly Positional[]
  readonly options: Readonly<Record<string, Option>>
  /** Further lines of explanation. */
  readonly notes?: string
  readonly examples: readonly string[]
  /** Changes what the database holds, and so creates it where there is none. Others read, and create nothing. */
  readonly changes?: true
  /** Gives the exit code. */
  readonly run: (context: CommandContext) => Promise<number>
}

export interface Positional {
  readonly name: string
  readonly required: boolean
  readonly help: string
}

export interface Option {
  /** The value's name in the help (`N`, `FILE`); undefined: a switch that takes none. */
  readonly value?: string
  readonly help: string
}

/** Options of every command. */
export const COMMON_OPTIONS: Readonly<Record<string, Option>> = {
  json: { help: 'write JSON instead of a table' },
  help: { help: 'explain this command' },
}

/** Every option of a command. One that means `--json` in its own way explains it itself. */
export function optionsOf({ options }: Command): Readonly<Record<string, Option>> {
  return { ...options, ...COMMON_OPTIONS, ...options }
}

/** Of a URL with a password: every user of the machine can read the command line of a process. */
export const REFERENCES = 'In single quotes, ${NAME} is the value of that variable, such as the password'

/** Options of every command that reads the configuration. */
export const CONFIG_OPTIONS: Readonly<Record<string, Option>> = {
  config: { value: 'FILE', help: 'configuration file (TOLLGATE_CONFIG; default tollgate.yaml)' },
  'database-url': { value: 'URL', help: `database (TOLLGATE_DATABASE_URL). ${REFERENCES}` },
}

/** Options of every command that can also work on a remote installation. */
export const REMOTE_OPTIONS: Readonly<Record<string, Option>> = {
  ...CONFIG_OPTIONS,
  url: { value: 'URL', help: 'work through the admin API there (TOLLGATE_URL)' },
  'admin-token': { value: 'TOKEN', help: 'for --url (TOLLGATE_ADMIN_TOKEN)' },
}

/** Options of every command that works on the memory of a running gateway: the database does not have it. */
export const RUNNING_OPTIONS: Readonly<Record<string, Option>> = {
  url: { value: 'URL', help: 'the running gateway, such as http://127.0.0.1:4100 (TOLLGATE_URL); required' },
  'admin-token': { value: 'TOKEN', help: 'for --url (TOLLGATE_ADMIN_TOKEN)' },
}

/** Of those, what means nothing without `url`. */
export const REMOTE_ONLY_OPTIONS: readonly string[] = ['admin-token']

/** Option of every command that makes something. */
export const IDEMPOTENCY_OPTION: Readonly<Record<string, Option>> = {
  'idempotency-key': {
    value: 'KEY',
    help: 'a repeated request with the same key gets the first response again; nothing is done twice',
  },
}

/** The same where what is made has a secret: `once.ts` of the operations keeps that for ten minutes, or not at all. */
export const SECRET_IDEMPOTENCY_OPTION: Readonly<Record<string, Option>> = {
  'idempotency-key': {
    value: 'KEY',
    help: 'makes it safe to repeat the command. With --url and the same admin token, the response is kept for ten minutes, secret included. Later, and without --url, the secret is not kept: the command says what was created',
  },
}

/** Options of every list. */
export const PAGE_OPTIONS: Readonly<Record<string, Option>> = {
  limit: { value: 'N', help: 'entries per page, 1 to 100 (default 20)' },
  cursor: { value: 'CURSOR', help: 'continue after the previous page (its next_cursor)' },
  all: { help: 'every page' },
}

/** Options of what is asked of the calls of a time. */
export const FILTER_OPTIONS = {
  from: { value: 'TIME', help: 'first moment, ISO 8601 or Unix seconds (default: the first of all)' },
  to: { value: 'TIME', help: 'the moment after the last (default: now)' },
  workspace: { value: 'ID', help: 'only this workspace' },
  key: { value: 'ID', help: 'only this key' },
  model: { value: 'ID', help: 'only this model' },
} satisfies Readonly<Record<string, Option>>
