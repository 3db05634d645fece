import { z } from 'zod'
import type { Json } from '../../core/json.ts'
import { CommandFailure } from '../usageError.ts'
import type { Path } from './agent.ts'

const step = z.union([z.string(), z.strictObject({ by: z.string(), is: z.string() })])
const path = z.array(step)

const keptSchema = z.object({
  version: z.literal(1),
  created: z.boolean(),
  values: z.array(
    z.object({
      at: path,
      before: z.json().optional(),
      written: z.string().nullable(),
      secret: z.boolean(),
    }),
  ),
  containers: z.array(path),
})

/** What a file of settings had before `tollgate connect` wrote into it. */
export interface Kept {
  readonly version: 1
  /** There was no such file. */
  readonly created: boolean
  readonly values: readonly Before[]
  /** Objects and lists that were not there. */
  readonly containers: readonly Path[]
}

export interface Before {
  readonly at: Path
  /** Absent: there was none. */
  readonly before?: Json
  /** SHA-256 of what was written, as JSON; null: whatever is there now is removed. The key itself is not kept. */
  readonly written: string | null
  readonly secret: boolean
}

/** Where it is kept: beside the file itself, which may be moved with its folder. */
export function keptPath(file: string): string {
  return `${file}.before-tollgate`
}

/** Throws `CommandFailure` for a text that `keptText` did not write. */
export function readKept(text: string, place: string): Kept {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new CommandFailure(`${place} is damaged: it is not JSON`, { cause })
  }
  const parsed = keptSchema.safeParse(value)
  if (!parsed.success) throw new CommandFailure(`${place} is damaged, or of another version`)
  return parsed.data as Kept
}

export function keptText(kept: Kept): string {
  return `${JSON.stringify(kept, null, 2)}\n`
}
