import { COMMON_OPTIONS, type Command } from './command.ts'
import { details } from './table.ts'

/** The list of commands. */
export function overview(commands: readonly Command[]): string {
  return `Tollgate: a model gateway that is also a till.

Usage: tollgate COMMAND [ARGUMENTS] [OPTIONS]

${indent(details(commands.map(({ name, summary }) => [name, summary])))}
"tollgate help COMMAND" explains one. Commands on data work on the database directly, whether the
gateway runs or not; with --url they use the admin API of a remote one. --json is understood everywhere.
Exit codes: 0 done, 1 failed, 2 not understood.
`
}

/** What one command does and takes. */
export function commandHelp(command: Command): string {
  const { name, summary, positionals, options, notes, examples } = command
  const words = positionals.map(({ name, required }) =>
    required ? name.toUpperCase() : `[${name.toUpperCase()}]`,
  )
  const all = Object.entries({ ...options, ...COMMON_OPTIONS })
  const parts = [
    `tollgate ${name}: ${summary}\n`,
    `Usage: ${['tollgate', name, ...words, '[OPTIONS]'].join(' ')}\n`,
  ]
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

function indent(text: string): string {
  return text.replace(/^(?=.)/gm, '  ')
}
