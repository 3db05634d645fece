import { describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type GatewayProcess,
  type ProcessCustomer,
  type ProcessWorld,
  startProcessWorld,
} from '../support/processWorld.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { createFolder, startTollgate } from '../support/tollgateProcess.ts'

/** Calls at once while the backup is made. */
const CALLERS = 4

/** Calls without a pause until it is stopped. */
function startLoad(world: ProcessWorld, customer: ProcessCustomer) {
  const stopping = new AbortController()
  const answered = { calls: 0 }
  async function call(gateway: GatewayProcess): Promise<void> {
    while (!stopping.signal.aborted) {
      const response = await world.chat(gateway, customer.secret)
      await response.text()
      expect(response.status).toBe(200)
      answered.calls++
    }
  }
  const callers = Promise.all(
    world.processes.flatMap((gateway) => Array.from({ length: CALLERS }, () => call(gateway))),
  )
  return {
    answered,
    async atLeast(calls: number) {
      const before = answered.calls
      while (answered.calls < before + calls) await Bun.sleep(1)
    },
    async stop() {
      stopping.abort()
      await callers
    },
  }
}

test(
  'a backup that was made during traffic is restored elsewhere: its ledger adds up and its keys work',
  async () => {
    await using world = await startProcessWorld({ processes: 1 })
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-backup-'))
    const customer = await world.createCustomer({ balance: '100' })
    const file = join(folder, 'copy.db')
    const load = startLoad(world, customer)
    await load.atLeast(20)
    const made = await world.command('backup', file, '--json')
    await load.atLeast(20)
    await load.stop()

    expect(made).toMatchObject({ code: 0 })
    const copy = JSON.parse(made.output)
    expect(copy).toMatchObject({ file, workspaces: 1, sound: true, last_transfer: expect.any(Number) })
    expect(copy.transfers).toBeWithin(1 + 20, 1 + 3 * load.answered.calls)
    expect(await world.command('ledger', 'verify')).toMatchObject({ code: 0 })

    const elsewhere = `sqlite:${join(folder, 'elsewhere', 'tollgate.db')}`
    const restored = await world.command('restore', file, '--database-url', elsewhere)
    expect(restored).toMatchObject({ code: 0 })
    expect(restored.output).toMatch(/Everything booked after \S+ \S+Z is lost\./)
    const verified = await world.command('ledger', 'verify', '--database-url', elsewhere, '--json')
    expect(JSON.parse(verified.output)).toMatchObject({ ok: true, transfers: copy.transfers })

    const second = await world.start(['--database-url', elsewhere])
    const response = await world.chat(second, customer.secret)
    expect(response.status).toBe(200)
    await response.text()
    expect(await world.command('restore', file, '--database-url', elsewhere)).toMatchObject({
      code: 1,
      output: expect.stringContaining('is in use by another process: stop the gateway first'),
    })
    rmSync(folder, { recursive: true })
  },
  TEST_LIMIT_MS,
)

describe.each([
  ['backup', 'pg_dump'],
  ['restore', 'pg_restore'],
])('tollgate %s', (command, program) => {
  test(
    `on Postgres names ${program} in one line`,
    async () => {
      await using folder = await createFolder()
      await using run = startTollgate(folder, [
        command,
        'x.db',
        '--database-url',
        'postgres://nobody:hidden@127.0.0.1:1/none',
      ])
      expect(await run.exitCode).toBe(1)
      expect(run.output).toBe(`tollgate: the database is Postgres: use ${program} instead\n`)
    },
    TEST_LIMIT_MS,
  )

  test(
    'where there is nothing to copy says so and creates nothing',
    async () => {
      await using folder = await createFolder()
      await using run = startTollgate(folder, [command, 'x.db'])
      expect(await run.exitCode).toBe(1)
      expect(run.output).toStartWith('tollgate: there is no ')
      expect(existsSync(join(folder.path, 'data'))).toBe(false)
      expect(existsSync(join(folder.path, 'x.db'))).toBe(false)
    },
    TEST_LIMIT_MS,
  )
})
