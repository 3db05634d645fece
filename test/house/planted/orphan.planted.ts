import { expect, test } from 'bun:test'
import { createFolder, serveTollgate } from '../../support/tollgateProcess.ts'
import { startPostgres } from '../../support/postgres.ts'

// Forgets a gateway and a Postgres, and goes on until it is killed where TOLLGATE_PLANTED_STAYS is set.
test('leaves a gateway and a Postgres behind', async () => {
  await using folder = await createFolder()
  const { url } = await serveTollgate(folder)
  const postgres = await startPostgres()
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  console.log(`up: ${url} ${new URL(postgres.url).port}`)
  if (process.env['TOLLGATE_PLANTED_STAYS'] === '1') await new Promise(() => undefined)
})
