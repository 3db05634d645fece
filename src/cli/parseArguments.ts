import { printableStart } from '../core/printable.ts'
import { type Command, type Option, optionsOf } from './command.ts'
import { optionMeant } from './suggestions.ts'
import { UsageError } from './usageError.ts'

/** What was given to a command: positionals and options by name. */
export interface Arguments {
  readonly values: Readonly<Record<string, string>>
  readonly switches: ReadonlySet<string>
}

/** Reads the words after a command's name. Throws `UsageError`. */
export function parseArguments(words: readonly string[], command: Command): Arguments {
  const values: Record<string, string> = {}
  const switches = new Set<string>()
  const free: string[] = []
  const options: Record<string, Option> = { ...optionsOf(command) }
  for (const { name, help } of command.positionals) options[name] ??= { value: name.toUpperCase(), help }

  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    if (word === '--') {
      free.push(...words.slice(i + 1))
      break
    }
    if (!isOption(word)) {
      free.push(word)
      continue
    }
    const [name, inline] = split(word)
    const option = Object.hasOwn(options, name) ? options[name] : undefined
    if (!option) throw unknownOption(name, Object.keys(options))
    if (option.value === undefined) {
      if (inline !== undefined) throw new UsageError(`--${name} takes no value`)
      switches.add(name)
      continue
    }
    const value = inline ?? words[++i]
    if (value === undefined) throw new UsageError(`--${name} needs a value: --${name} ${option.value}`)
    if (Object.hasOwn(values, name)) throw new UsageError(`--${name} is given twice`)
    values[name] = value
  }

  assignPositionals(free, command, values)
  if (!switches.has('help')) requirePositionals(command, values)
  return { values, switches }
}

/** `-5` is an amount, not an option. */
function isOption(word: string): boolean {
  return word.startsWith('-') && word !== '-' && !/^-[\d.]/.test(word)
}

function split(word: string): [name: string, inline: string | undefined] {
  if (word === '-h') return ['help', undefined]
  const equals = word.indexOf('=')
  const name = (equals < 0 ? word : word.slice(0, equals)).replace(/^--?/, '')
  return [name, equals < 0 ? undefined : word.slice(equals + 1)]
}

function assignPositionals(free: readonly string[], command: Command, values: Record<string, string>): void {
  const open = command.positionals.filter(({ name }) => !Object.hasOwn(values, name))
  for (const [i, word] of free.entries()) {
    const positional = open[i]
    if (!positional) throw new UsageError(`"${printableStart(word)}" is one argument too many`)
    values[positional.name] = word
  }
}

function requirePositionals(command: Command, values: Readonly<Record<string, string>>): void {
  const missing = command.positionals.find(({ name, required }) => required && !Object.hasOwn(values, name))
  if (missing) throw new UsageError(`${missing.name.toUpperCase()} is missing: ${missing.help}`)
}

function unknownOption(name: string, known: readonly string[]): UsageError {
  const close = optionMeant(name, known)
  return new UsageError(
    `there is no option --${printableStart(name)}${close === undefined ? '' : `; did you mean --${close}?`}`,
  )
}
