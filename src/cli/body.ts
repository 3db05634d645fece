import { printableStart } from '../core/printable.ts'
import type { CommandContext } from './commandContext.ts'
import { UsageError } from './usageError.ts'

/** Builds a body of the admin API from options: `--requests-per-minute 60` → `{requests_per_minute: 60}`. */
export function bodyOf(context: CommandContext, fields: readonly BodyField[]): Record<string, unknown> {
  const body: Record<string, unknown> = {}
  for (const { option, field = option.replaceAll('-', '_'), read } of fields) {
    const text = context.value(option)
    if (text !== undefined) body[field] = read(text, option)
  }
  return body
}

/** The same for a change, which is nothing without any of them. Throws `UsageError`. */
export function changesOf(
  command: string,
  context: CommandContext,
  fields: readonly BodyField[],
): Record<string, unknown> {
  const body = bodyOf(context, fields)
  if (Object.keys(body).length > 0) return body
  const options = fields.map(({ option }) => `--${option}`).join(', ')
  throw new UsageError(`${command} needs something to change: ${options}`)
}

export interface BodyField {
  readonly option: string
  /** Default: the option with underscores. */
  readonly field?: string
  readonly read: (text: string, option: string) => unknown
}

export const text = (value: string): string => value

/** A whole number, or `none` for no limit. */
export function count(value: string, option: string): number | null {
  if (value === 'none') return null
  if (!/^-?\d+$/.test(value))
    throw new UsageError(`--${option} must be a whole number or "none", not "${printableStart(value)}"`)
  return Number(value)
}

/** Any text, or `none` for null. */
export function orNone(value: string): string | null {
  return value === 'none' ? null : value
}

export function onOrOff(value: string, option: string): boolean {
  if (value === 'on') return true
  if (value === 'off') return false
  throw new UsageError(`--${option} must be "on" or "off", not "${printableStart(value)}"`)
}

/** Ids with commas between them, or `all`; `none` lifts this limit like any other, and comes to the same. */
export function modelList(value: string, option: string): string[] | null {
  const ids = value
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '')
  const [first] = ids
  if (ids.length === 1 && (first === 'all' || first === 'none')) return null
  const word = ids.find((id) => id === 'all' || id === 'none')
  if (word !== undefined) throw new UsageError(`--${option}: "${word}" stands alone, not beside other models`)
  if (first === undefined) throw new UsageError(`--${option} names no model: write ids, or "all"`)
  return ids
}
