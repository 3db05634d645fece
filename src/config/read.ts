import type * as z from 'zod'
import type { ConfigPath } from './problem.ts'
import type { Report } from './report.ts'

/** Reads one part of the file by its schema; undefined when it has mistakes, which are all reported. */
export function read<T>(
  schema: z.ZodType<T>,
  value: unknown,
  path: ConfigPath,
  report: Report,
): T | undefined {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  for (const issue of result.error.issues) {
    const at = [...path, ...(issue.path as (string | number)[])]
    if (issue.code !== 'unrecognized_keys') report.problem(at, issue.message)
    // `section` writes one line for each unknown key.
    else
      issue.message
        .split('\n')
        .forEach((message, index) => report.misnamed([...at, issue.keys[index] ?? ''], message))
  }
  return undefined
}
