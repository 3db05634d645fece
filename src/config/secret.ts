import * as z from 'zod'
import type { Environment } from './environment.ts'
import type { Report } from './report.ts'

/** Mounted files and copied variables end in a line feed that nobody meant. */
export function withoutLineEnd(text: string): string {
  return text.replace(/[\r\n]+$/, '')
}

/** Why a secret cannot be sent in an HTTP header; never quotes it. Undefined when it can. */
export function secretMistake(value: string): string | undefined {
  if (value === '') return 'must not be empty'
  const odd = /[^\x21-\x7e]/.exec(value)?.[0]
  if (odd === undefined) return undefined
  const what =
    odd === ' '
      ? 'a blank'
      : odd === '\n' || odd === '\r'
        ? 'a line feed'
        : odd < ' ' || odd === '\x7f'
          ? 'a control character'
          : 'a character that is not ASCII'
  return `contains ${what}: an HTTP header cannot contain that`
}

/**
 * A reference in the spelling of a shell, a Makefile or Windows, or one of ours that stayed: it would be sent as the key.
 */
function isReference(value: string): boolean {
  return /^\$\w+$|^\$\(.*\)$|^%\w+%$/.test(value) || value.includes('${')
}

/** A key, a token or the like: sent in a header, never shown. */
export const secret = z
  .string({ error: (issue) => (issue.input === undefined ? 'is missing' : 'must be a text') })
  .transform((text, context) => {
    const value = withoutLineEnd(text)
    const mistake = isReference(value)
      ? 'looks like the name of a variable, not like a secret: write ${NAME}, with braces, to use what the variable holds'
      : secretMistake(value)
    if (mistake !== undefined) context.addIssue({ code: 'custom', message: mistake })
    return value
  })

/** A secret that a variable holds, which is blamed where it cannot be sent. An empty variable is an unset one. */
export function secretOf(name: string, environment: Environment, report: Report): string | undefined {
  const text = environment[name]
  return text === undefined || text === '' ? undefined : outsideSecret(name, text, report)
}

/** The same for a flag or a variable that was already read. */
export function outsideSecret(from: string, text: string, report: Report): string {
  const value = withoutLineEnd(text)
  // References are replaced in the file only: here the value itself is needed.
  const mistake = isReference(value)
    ? 'looks like a reference that was not replaced, such as ${NAME}: give the value itself'
    : secretMistake(value)
  if (mistake !== undefined) report.outside(from, mistake)
  return value
}
