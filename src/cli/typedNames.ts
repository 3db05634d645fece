import type { Refusal } from '../core/error.ts'
import { type Command, optionsOf } from './command.ts'

/** Fields of the admin API whose argument or option is not called like them. */
const TYPED: Readonly<Record<string, string>> = {
  amount_usd: 'amount',
  workspace_id: 'workspace',
  key_id: 'key',
  next_cursor: 'cursor',
  'Idempotency-Key': 'idempotency-key',
}

/**
 * The message of a refusal with the argument or the option that was typed (`AMOUNT`, `--from`) in the place of the
 * admin API's field (`amount_usd`, `from`).
 */
export function inTypedNames(
  { code, message, param }: Refusal,
  command: Command,
  argv: readonly string[],
): string {
  if (code === 'idempotency_conflict') return message.replaceAll('Idempotency-Key', '--idempotency-key')
  if (param === null || !message.startsWith(`${param}: `)) return message
  const own = typedName(param, command, argv)
  if (own === undefined) return message
  const rest = message.slice(param.length)
  return (
    own + rest.replaceAll(/`(\w+)`/g, (quoted, field: string) => typedName(field, command, argv) ?? quoted)
  )
}

function typedName(param: string, command: Command, argv: readonly string[]): string | undefined {
  const field = param.split(/[.[]/)[0] ?? ''
  const name = TYPED[field] ?? field.replaceAll('_', '-')
  const typed = argv.some((word) => word === `--${name}` || word.startsWith(`--${name}=`))
  if (!typed && command.positionals.some((positional) => positional.name === name)) return name.toUpperCase()
  return typed || Object.hasOwn(optionsOf(command), name) ? `--${name}` : undefined
}
