import { printableStart } from '../core/printable.ts'

/** The environment of the process, or a part of it. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A scalar with its references to the environment replaced, or the variables that it misses. */
export type Expansion =
  | { readonly ok: true; readonly text: string; readonly expanded: boolean }
  | { readonly ok: false; readonly missing: readonly string[] }

/** What is wrong with a value that names a variable without a default. */
export function missingVariable(name: string): string {
  return `needs the environment variable ${printableStart(name)}, which is not set`
}

const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g

/**
 * Replaces `${NAME}` by the variable's value and `${NAME:-default}` by the default when the variable
 * is unset or empty. `$${NAME}` stays as the text `${NAME}`. Values are not expanded again.
 */
export function expand(text: string, environment: Environment): Expansion {
  const missing: string[] = []
  let expanded = false
  const result = text.replaceAll(
    REFERENCE,
    (reference, name: string, fallback: string | undefined, offset: number) => {
      if (text[offset - 1] === '$') return reference
      expanded = true
      const value = environment[name]
      if (fallback !== undefined) return value === undefined || value === '' ? fallback : value
      if (value === undefined) missing.push(name)
      return value ?? ''
    },
  )
  if (missing.length > 0) return { ok: false, missing }
  return { ok: true, text: result.replaceAll('$${', '${'), expanded }
}
