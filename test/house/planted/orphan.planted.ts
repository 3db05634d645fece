import { expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '../../support/postgres.ts'
import { createFolder, serveTollgate } from '../../support/tollgateProcess.ts'

/** The first time it goes on until it is killed, where this is set. */
const STAYS = process.env['TOLLGATE_PLANTED_STAYS'] === '1'

test('forgets a gateway and a Postgres', async () => {
  const mark = join(tmpdir(), 'orphan-has-stayed')
  const stays = STAYS && !existsSync(mark)
  writeFileSync(mark, '')
  const folder = await createFolder()
  const { url } = await serveTollgate(folder)
  await startPostgres()
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  if (stays) await new Promise(() => undefined)
})
