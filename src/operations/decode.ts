import type { z } from 'zod'
import { GatewayError, refuse } from '../core/error.ts'
import { isJsonObject } from '../core/json.ts'
import { printableStart } from '../core/printable.ts'
import { given } from './given.ts'
import type { Query } from './operations.ts'

/** A field that nobody knows is named by so many characters: it stands twice in the refusal. */
const NAME_LENGTH_MAX = 80

/** Reads input by its schema. Throws `invalid_request` that names the first offending field as a dotted path. */
export function decodeInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  if (!issue) throw new GatewayError(refuse('invalid_request', 'The request is invalid.'))
  throw new GatewayError(describe(issue, input))
}

/** Reads query parameters by their schema; what is undefined was not given. */
export function decodeQuery<Schema extends z.ZodType>(schema: Schema, query: Query): z.output<Schema> {
  return decodeInput(schema, given(query))
}

function describe(issue: z.core.$ZodIssue, input: unknown) {
  if (issue.code === 'unrecognized_keys') {
    const name = printableStart(issue.keys[0] ?? '', NAME_LENGTH_MAX)
    const param = dotted([...issue.path, name])
    return refuse('invalid_request', `${param}: there is no such field.`, { param })
  }
  if (issue.path.length === 0) {
    const message = isJsonObject(input) ? issue.message : 'The body must be a JSON object.'
    return refuse('invalid_request', message)
  }
  const param = dotted(issue.path)
  return refuse('invalid_request', `${param}: ${sentence(issue, input)}.`, { param })
}

function sentence(issue: z.core.$ZodIssue, input: unknown): string {
  if (valueAt(input, issue.path) === undefined) return 'is required'
  if (issue.code === 'invalid_type') return `must be ${article(issue.expected)}`
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`
  return issue.message
}

function article(type: string): string {
  if (type === 'int') return 'a whole number'
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<PropertyKey, unknown>)[step]
  }
  return value
}

/** `models[0]`, `limits.requests_per_minute`. */
function dotted(path: readonly PropertyKey[]): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else text += text === '' ? String(step) : `.${String(step)}`
  }
  return text
}
