import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { copyCheckout, follow, runIn, type Step } from '../documents/examples.ts'
import { PROGRAM } from '../support/program.ts'

const ROOT = join(import.meta.dir, '../..')

/** What makes the next version of this one: a migration that changes a table that every call reads. */
const CHANGES: readonly Step[] = [
  {
    kind: 'file',
    path: 'src/store/migrations/9999-next.ts',
    text: `import type { Migration } from './migration.ts'

export const next: Migration = {
  id: '9999-next',
  statements: () => [
    'alter table workspaces add column next_note text',
    'create index transfers_by_creation on transfers (created_at)',
  ],
}
`,
  },
  {
    kind: 'change',
    path: 'src/store/migrations/migrations.ts',
    places: [
      ["+import { next } from './9999-next.ts'", " import type { Migration } from './migration.ts'"],
      ['+  next,', ' ]', ' ', ' /** The table in which each engine records what it has applied. */'],
    ],
  },
]

/**
 * Builds what the next version may be, as one file: this one, with one more migration. Takes some ten seconds.
 * @param folder for a copy of the checkout
 * @returns the path of the file
 */
export async function buildNewerVersion(folder: string): Promise<string> {
  await copyCheckout(ROOT, folder)
  for (const step of CHANGES) await follow(step, folder)
  // A record of nearly the same program saves the first of two builds.
  const record = existsSync(`${PROGRAM}.order`) ? ` -- --record '${PROGRAM}.order'` : ''
  const { code, output } = await runIn(folder, `npm run build${record}`)
  if (code !== 0) throw new Error(output)
  return join(folder, 'dist/tollgate')
}
