import { type Command, optionsOf } from './command.ts'
import { details } from './table.ts'

/** The list of commands. */
export function overview(commands: readonly Command[]): string {
  return `Tollgate: an LLM gateway with prepaid billing.

Usage: tollgate COMMAND [ARGUMENTS] [OPTIONS]

${indent(details(commands.map(({ name, summary }) => [name, summary])))}
"tollgate help COMMAND" explains a command. Commands on data use the database directly; the gateway may
run or not. With --url they use the admin API of a remote gateway. With --json, results, errors and
this help are JSON. Exit codes: 0 success, 1 failure, 2 usage error.
`
}

/** What one command does and takes. */
export function commandHelp(command: Command): string {
  const { name, summary, positionals, notes, examples } = command
  const all = Object.entries(optionsOf(command))
  const parts = [`tollgate ${name}: ${summary}\n`, `Usage: ${usageOf(command)}\n`]
  if (positionals.length > 0) {
    parts.push(
      `Arguments\n${indent(details(positionals.map(({ name, help }) => [name.toUpperCase(), help])))}`,
    )
  }
  parts.push(
    `Options\n${indent(details(all.map(([name, { value, help }]) => [value === undefined ? `--${name}` : `--${name} ${value}`, help])))}`,
  )
  if (notes !== undefined) parts.push(`${notes}\n`)
  parts.push(`Examples\n${examples.map((example) => `  ${example}\n`).join('')}`)
  return parts.join('\n')
}

/** The same for programs. */
export function commandDescription(command: Command) {
  const { name, summary, positionals, notes, examples, changes = false } = command
  const options = Object.entries(optionsOf(command))
  return {
    name,
    summary,
    usage: usageOf(command),
    changes,
    arguments: positionals,
    options: options.map(([option, { value, help }]) => ({ name: option, value: value ?? null, help })),
    notes: notes ?? null,
    examples,
  }
}

function usageOf({ name, positionals }: Command): string {
  const words = positionals.map(({ name, required }) =>
    required ? name.toUpperCase() : `[${name.toUpperCase()}]`,
  )
  return ['tollgate', name, ...words, '[OPTIONS]'].join(' ')
}

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, '  ')
}
