import { errorBody, GatewayError, refuse, type Refusal } from '../core/error.ts'
import { StoreUnavailable } from '../core/ports/till.ts'
import { printableStart } from '../core/printable.ts'
import type { Command } from './command.ts'
import { COMMANDS } from './commands/index.ts'
import { createContext } from './context.ts'
import type { CliDeps, Io } from './deps.ts'
import { commandDescription, commandHelp, overview } from './help.ts'
import { OutputLost } from './outputLost.ts'
import { parseArguments } from './parseArguments.ts'
import { commandMeant } from './suggestions.ts'
import { inTypedNames } from './typedNames.ts'
import { CommandFailure, UsageError } from './usageError.ts'

const DONE = 0
const FAILED = 1
const NOT_UNDERSTOOD = 2
/** What a shell says of a command that SIGPIPE ended. */
const READER_LEFT = 141

/** Causes of causes beyond this depth are left out. */
const CAUSES_MAX = 4

const HELP: ReadonlySet<string> = new Set(['help', '--help', '-h'])

/** Runs one command of `tollgate`; `argv` begins after the program's name. Gives the exit code, never throws. */
export async function runCli(argv: readonly string[], io: Io, deps: CliDeps): Promise<number> {
  try {
    return await run(argv, io, deps)
  } catch (error) {
    return report(error, argv, io)
  }
}

async function run(argv: readonly string[], io: Io, deps: CliDeps): Promise<number> {
  const [first] = argv
  const asked = argv.filter((word) => word !== '--json')
  if (asked[0] === undefined || HELP.has(asked[0])) {
    return help(asked.slice(1), argv, io)
  }
  const words = first === '--version' || first === '-v' ? ['version', ...argv.slice(1)] : argv
  const command = commandOf(words)
  if (!command) return unknownCommand(words, io)
  const given = parseArguments(words.slice(command.name.split(' ').length), command)
  if (given.switches.has('help')) return explain(command, argv, io)
  return command.run(createContext(command, given, io, deps))
}

function commandOf(words: readonly string[]): Command | undefined {
  return COMMANDS.find(({ name }) => name.split(' ').every((part, i) => words[i] === part))
}

/** The commands on one kind of thing: `key create`, `key list`, … */
function groupOf([group = '']: readonly string[]): readonly Command[] {
  return COMMANDS.filter(({ name }) => name.startsWith(`${group} `))
}

/** @param words what help is asked for: a command, a group of them, or nothing */
function help(words: readonly string[], argv: readonly string[], io: Io): number {
  const command = commandOf(words)
  if (command) return explain(command, argv, io)
  const [group, ...more] = words.filter((word) => !HELP.has(word))
  const commands = group === undefined ? COMMANDS : groupOf([group])
  if (commands.length === 0 || more.length > 0) return unknownCommand(words, io)
  if (argv.includes('--json')) io.out(jsonText({ commands: commands.map(commandDescription) }))
  else io.out(overview(commands))
  return DONE
}

function explain(command: Command, argv: readonly string[], io: Io): number {
  io.out(argv.includes('--json') ? jsonText(commandDescription(command)) : commandHelp(command))
  return DONE
}

/** `tollgate key` lists what keys can be asked for; anything else names what was probably meant. */
function unknownCommand(words: readonly string[], io: Io): number {
  const group = groupOf(words)
  const given = words.slice(0, group.length > 0 ? 2 : 1).join(' ')
  if (group.length > 0 && (words[1] === undefined || words[1].startsWith('-'))) {
    if (words.some((word) => HELP.has(word))) return help(words.slice(0, 1), words, io)
    if (words.includes('--json')) {
      throw new UsageError(
        `"${words[0]}" is a group of commands: ${group.map(({ name }) => name).join(', ')}`,
      )
    }
    io.err(overview(group))
    return NOT_UNDERSTOOD
  }
  const meant = commandMeant(
    words.filter((word) => !word.startsWith('-')),
    COMMANDS.map(({ name }) => name),
  )
  throw new UsageError(`there is no command "${printableStart(given)}"${advice(meant, group)}`)
}

function advice(meant: string | undefined, group: readonly Command[]): string {
  if (meant !== undefined) return `; did you mean "${meant}"?`
  return group.length > 0 ? `; there are: ${group.map(({ name }) => name).join(', ')}` : ''
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

function report(error: unknown, argv: readonly string[], io: Io): number {
  // Whoever left knows, unless something was done.
  if (error instanceof OutputLost && error.readerLeft && !error.afterChange) return READER_LEFT
  const usage = error instanceof UsageError
  const refusal = refusalOf(error)
  if (argv.includes('--json')) io.err(`${JSON.stringify(errorBody(refusal))}\n`)
  else {
    const command = commandOf(argv)
    const message = command ? inTypedNames(refusal, command, argv) : refusal.message
    io.err(`tollgate: ${message}\n${usage ? 'See "tollgate help".\n' : ''}`)
  }
  if (error instanceof OutputLost && error.readerLeft) return READER_LEFT
  return usage || refusal.code === 'invalid_request' ? NOT_UNDERSTOOD : FAILED
}

/** Says what went wrong in a sentence: a stack trace helps nobody at a terminal. */
function refusalOf(error: unknown) {
  if (error instanceof GatewayError) return withDatabasesWords(error)
  if (error instanceof UsageError) return refuse('invalid_request', error.message)
  if (error instanceof CommandFailure || error instanceof OutputLost)
    return refuse('service_unavailable', error.message)
  if (error instanceof StoreUnavailable) {
    return refuse('service_unavailable', `the database cannot be used: ${databasesWords(error)}`)
  }
  return refuse('internal_error', error instanceof Error ? error.message : String(error))
}

/** The operator of the database is at the terminal: a refusal whose cause is the database repeats what that said. */
function withDatabasesWords({ refusal, cause }: GatewayError): Refusal {
  if (!(cause instanceof StoreUnavailable)) return refusal
  return { ...refusal, message: `${refusal.message} (The database: ${databasesWords(cause)})` }
}

/** What an error and its causes say, each sentence once. */
function databasesWords(error: StoreUnavailable): string {
  const said = new Set<string>()
  let next: unknown = error
  for (let depth = 0; depth < CAUSES_MAX && next instanceof StoreUnavailable; depth++) {
    said.add(next.message)
    next = next.cause
  }
  return [...said].join(': ')
}
