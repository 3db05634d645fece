import type * as z from 'zod'
import type { ConfigPath } from './problem.ts'
import type { Report } from './report.ts'
import { readUnknownKeys } from './unknownKeys.ts'
import { isTreeMap } from './yamlTree.ts'

/**
 * Reads one part of the file by its schema and reports every mistake in it. What is wrong is then left out, and noted as
 * unread, so that what is right can be checked further. Undefined when the schema takes nothing of what is left.
 */
export function read<T>(
  schema: z.ZodType<T>,
  value: unknown,
  path: ConfigPath,
  report: Report,
): T | undefined {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  for (const issue of result.error.issues) reportIssue(issue, path, report)
  return readRest(schema, value, result.error.issues, path, report)
}

type Issue = z.core.$ZodIssue

/** Each turn leaves out a part at least, and what it belongs to when that cannot be without it: so it comes to an end. */
function readRest<T>(
  schema: z.ZodType<T>,
  value: unknown,
  issues: readonly Issue[],
  path: ConfigPath,
  report: Report,
): T | undefined {
  let rest = value
  for (const part of issues.flatMap((issue) => wrongPartsOf(issue, value))) {
    if (part.length === 0) return undefined
    rest = without(rest, part)
    report.unread([...path, ...part])
  }
  const result = schema.safeParse(rest)
  return result.success ? result.data : readRest(schema, rest, result.error.issues, path, report)
}

function reportIssue(issue: Issue, path: ConfigPath, report: Report): void {
  const at = [...path, ...pathOf(issue)]
  if (issue.code !== 'unrecognized_keys') report.problem(at, issue.message)
  else
    readUnknownKeys(issue.message).forEach(({ message, meant }, index) => {
      report.misnamed([...at, issue.keys[index] ?? ''], message)
      if (meant !== undefined) report.unread([...at, meant])
    })
}

function wrongPartsOf(issue: Issue, value: unknown): ConfigPath[] {
  const at = pathOf(issue)
  return issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => thereOf([...at, key], value))
    : [thereOf(at, value)]
}

/** The part at a path, or the nearest around it that is there and has a name: what is left of a list keeps its positions. */
function thereOf(path: ConfigPath, value: unknown): ConfigPath {
  let node = value
  let there: ConfigPath = []
  for (const [index, part] of path.entries()) {
    const next = childOf(node, part)
    if (next === undefined) break
    node = next
    if (typeof part === 'string') there = path.slice(0, index + 1)
  }
  return there
}

function childOf(node: unknown, part: string | number): unknown {
  if (typeof part === 'number') return Array.isArray(node) ? (node as readonly unknown[])[part] : undefined
  return isTreeMap(node) && Object.hasOwn(node, part) ? node[part] : undefined
}

/** A copy of the value without a part of it. */
function without(value: unknown, [first = '', ...more]: ConfigPath): unknown {
  const part = childOf(value, first)
  // An earlier mistake may have taken away the mapping around it.
  if (part === undefined) return value
  if (typeof first === 'number') return (value as readonly unknown[]).with(first, without(part, more))
  const { [first]: _, ...others } = value as Readonly<Record<string, unknown>>
  return more.length === 0 ? others : { ...others, [first]: without(part, more) }
}

function pathOf(issue: Issue): ConfigPath {
  return issue.path as (string | number)[]
}
