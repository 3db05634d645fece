import { errorBody, GatewayError, refuse } from '../core/error.ts'
import { StoreUnavailable } from '../core/ports/till.ts'
import type { Command } from './command.ts'
import { COMMANDS } from './commands/index.ts'
import { createContext } from './context.ts'
import type { CliDeps, Io } from './deps.ts'
import { commandHelp, overview } from './help.ts'
import { nearest } from './nearest.ts'
import { OutputLost } from './outputLost.ts'
import { parseArguments } from './parseArguments.ts'
import { CommandFailure, UsageError } from './usageError.ts'

const DONE = 0
const FAILED = 1
const NOT_UNDERSTOOD = 2
/** What a shell says of a command that SIGPIPE ended. */
const READER_LEFT = 141

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
  if (first === undefined || first === '--help' || first === '-h' || first === 'help') {
    return help(argv.slice(1), io)
  }
  const words = first === '--version' || first === '-v' ? ['version', ...argv.slice(1)] : argv
  const command = commandOf(words)
  if (!command) return unknownCommand(words, io)
  const given = parseArguments(words.slice(command.name.split(' ').length), command)
  if (given.switches.has('help')) {
    io.out(commandHelp(command))
    return DONE
  }
  return command.run(createContext(given, io, deps, command.changes ? 'change' : 'read'))
}

function commandOf(words: readonly string[]): Command | undefined {
  return COMMANDS.find(({ name }) => name.split(' ').every((part, i) => words[i] === part))
}

function help(words: readonly string[], io: Io): number {
  if (words.length === 0) {
    io.out(overview(COMMANDS))
    return DONE
  }
  const command = commandOf(words)
  if (!command) return unknownCommand(words, io)
  io.out(commandHelp(command))
  return DONE
}

/** `tollgate key` lists what keys can be asked for; anything else names what was probably meant. */
function unknownCommand(words: readonly string[], io: Io): number {
  const [room = ''] = words
  const family = COMMANDS.filter(({ name }) => name.startsWith(`${room} `))
  const given = words.slice(0, family.length > 0 ? 2 : 1).join(' ')
  if (family.length > 0 && (words[1] === undefined || words[1].startsWith('-'))) {
    const asked = words[1] === '--help' || words[1] === '-h'
    const text = overview(family)
    if (asked) io.out(text)
    else io.err(text)
    return asked ? DONE : NOT_UNDERSTOOD
  }
  const close = nearest(
    given,
    COMMANDS.map(({ name }) => name),
  )
  throw new UsageError(
    `there is no command "${given}"${close === undefined ? '' : `; did you mean "${close}"?`}`,
  )
}

function report(error: unknown, argv: readonly string[], io: Io): number {
  // Whoever left knows, unless something was done.
  if (error instanceof OutputLost && error.readerLeft && !error.afterChange) return READER_LEFT
  const usage = error instanceof UsageError
  const refusal = refusalOf(error)
  if (argv.includes('--json')) io.err(`${JSON.stringify(errorBody(refusal))}\n`)
  else io.err(`tollgate: ${refusal.message}\n${usage ? 'See "tollgate help".\n' : ''}`)
  if (error instanceof OutputLost && error.readerLeft) return READER_LEFT
  return usage || refusal.code === 'invalid_request' ? NOT_UNDERSTOOD : FAILED
}

/** Says what went wrong in a sentence: a stack trace helps nobody at a terminal. */
function refusalOf(error: unknown) {
  if (error instanceof GatewayError) return error.refusal
  if (error instanceof UsageError) return refuse('invalid_request', error.message)
  if (error instanceof CommandFailure || error instanceof OutputLost)
    return refuse('service_unavailable', error.message)
  if (error instanceof StoreUnavailable) {
    return refuse('service_unavailable', `the database cannot be used: ${error.message}`)
  }
  return refuse('internal_error', error instanceof Error ? error.message : String(error))
}
