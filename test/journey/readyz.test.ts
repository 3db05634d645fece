import { describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdtempSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkedFetch } from '../support/checkedFetch.ts'
import {
  ADMIN_TOKEN,
  type GatewayProcess,
  type ProcessCustomer,
  type ProcessWorld,
  startProcessWorld,
} from '../support/processWorld.ts'
import { errorOf, readerOf, readStream } from '../support/readAnswer.ts'
import { skipFor } from '../support/runEvents.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { createGate, streams } from '../support/scriptedProvider.ts'

const POLL_MS = 20
/** A write beyond the limit is an error, not the end of the process. */
const WITHOUT_SIGNAL = ['sh', '-c', 'trap "" XFSZ; exec "$0" "$@"']
const NO_PRLIMIT =
  Bun.which('prlimit') === null ? 'without prlimit no disk can be made full for one process' : undefined

/** A file system of its own, with room for a database and little more. */
const SMALL = 'size=24m'

function mountSmall(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-small-'))
  const mounted = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', SMALL, 'tmpfs', folder])
  if (mounted.exitCode === 0) return folder
  rmdirSync(folder)
  throw new Error(mounted.stderr.toString())
}

function unmount(folder: string): void {
  Bun.spawnSync(['umount', '--lazy', folder])
  rmdirSync(folder)
}

/** Why no file system can be mounted here: as a rule only the superuser may. */
function whyNoMount(): string | undefined {
  try {
    unmount(mountSmall())
    return undefined
  } catch (error) {
    return `no file system can be mounted: ${String(error)}`
  }
}
const NO_MOUNT = whyNoMount()

/** How large a file may become that the process writes: 0 is a disk without any room. */
function limitFiles(process: GatewayProcess, bytes: '0' | 'unlimited'): void {
  const limited = Bun.spawnSync(['prlimit', '--pid', String(process.pid), `--fsize=${bytes}:unlimited`])
  if (limited.exitCode !== 0) throw new Error(limited.stderr.toString())
}

async function untilReady(process: GatewayProcess, status: 200 | 503): Promise<void> {
  while ((await checkedFetch(`${process.url}/readyz`)).status !== status) await Bun.sleep(POLL_MS)
}

async function expectAnswered(world: ProcessWorld, one: GatewayProcess, customer: ProcessCustomer) {
  const response = await world.chat(one, customer.secret)
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Hello world')])
}

/** Nothing is sent to a provider, and strangers learn neither path nor reason. */
async function expectClosed(world: ProcessWorld, one: GatewayProcess, customer: ProcessCustomer) {
  const reached = world.provider.requests.length
  for (const body of [{}, { stream: true }]) {
    const response = await world.chat(one, customer.secret, body)
    expect(response.status).toBe(503)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await errorOf(response)).toMatchObject({ code: 'service_unavailable' })
  }
  expect(world.provider.requests.length).toBe(reached)
  expect((await checkedFetch(`${one.url}/healthz`)).status).toBe(200)
  const readiness = await checkedFetch(`${one.url}/readyz`)
  expect(readiness.status).toBe(503)
  expect(await readiness.json()).toEqual({
    status: 'unavailable',
    checks: { store: 'the database cannot store anything at the moment' },
  })
}

async function start(options: Partial<Parameters<typeof startProcessWorld>[0]> = {}) {
  const world = await startProcessWorld({ processes: 1, under: WITHOUT_SIGNAL, ...options })
  const [one] = world.processes
  if (!one || world.database.engine !== 'sqlite') throw new Error('one process on SQLite')
  return { world, one, path: world.database.path, customer: await world.createCustomer() }
}

/** Nothing else that would have to be written is answered as if it were, and none of it is a 500. */
async function expectNothingWritten(one: GatewayProcess, { secret, workspaceId }: ProcessCustomer) {
  const asks: readonly [path: string, token: string, body?: object][] = [
    ['/v1/models', secret],
    ['/api/v1/admin/workspaces', ADMIN_TOKEN, { name: 'late', type: 'personal' }],
    [`/api/v1/admin/workspaces/${workspaceId}/credits`, ADMIN_TOKEN, { amount_usd: '1' }],
  ]
  for (const [path, token, body] of asks) {
    const response = await checkedFetch(one.url + path, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    expect([path, response.status, (await errorOf(response)).code]).toEqual([
      path,
      503,
      'service_unavailable',
    ])
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  }
}

/** The log comes through a pipe: it may be behind the answers. */
async function untilLogged(one: GatewayProcess, part: string): Promise<void> {
  while (!one.log().includes(part)) await Bun.sleep(POLL_MS)
}

const timesIn = (log: string, part: string): number => log.split(part).length - 1

describe.skipIf(skipFor(NO_PRLIMIT))('a disk that is full', () => {
  test(
    'closes the gateway before anything is sent to a provider, and it opens by itself when there is room',
    async () => {
      const { world, one, customer } = await start()
      await using _ = world
      await expectAnswered(world, one, customer)
      limitFiles(one, '0')
      // The first call meets the disk itself: nothing has told the gateway before.
      await expectClosed(world, one, customer)
      await expectNothingWritten(one, customer)
      await untilReady(one, 503)
      await untilLogged(one, 'the database cannot be used')
      limitFiles(one, 'unlimited')
      await untilReady(one, 200)
      await expectAnswered(world, one, customer)
      await untilLogged(one, 'the database can be used again')
      expect(timesIn(one.log(), 'the database cannot be used')).toBe(1)
      expect(one.log()).not.toContain('internal error')
      expect(await world.command('ledger', 'verify')).toMatchObject({ code: 0 })
    },
    TEST_LIMIT_MS,
  )

  test(
    'is noticed by the probe alone, without any call',
    async () => {
      const { world, one } = await start()
      await using _ = world
      await untilReady(one, 200)
      limitFiles(one, '0')
      await untilReady(one, 503)
      limitFiles(one, 'unlimited')
      await untilReady(one, 200)
    },
    TEST_LIMIT_MS,
  )

  test(
    'lets an answer in flight wait for room: it ends whole and is charged once',
    async () => {
      const gate = createGate()
      const { world, one, customer } = await start({ provider: streams('Hello', gate, ' world') })
      await using _ = world
      const streamed = readerOf(await world.chat(one, customer.secret, { stream: true, max_tokens: 50 }))
      await streamed.until('Hello')
      limitFiles(one, '0')
      await untilReady(one, 503)
      gate.open()
      const rest = streamed.rest()
      limitFiles(one, 'unlimited')
      expect(readStream(await rest).done).toBe(true)
      const usage = await world.operations.usage({ group_by: 'workspace' })
      expect(usage.data).toMatchObject([{ requests: 1 }])
      expect(await world.command('ledger', 'verify')).toMatchObject({ code: 0 })
    },
    TEST_LIMIT_MS,
  )
})

describe.skipIf(skipFor(NO_MOUNT))('a file system that is full', () => {
  test(
    'closes the gateway while there is still room to settle, and opens it by itself when something is deleted',
    async () => {
      const mounted = mountSmall()
      try {
        const { world, one, customer } = await start({ below: mounted })
        await using _ = world
        await expectAnswered(world, one, customer)
        const fill = `${mounted}/fill`
        await fillUp(fill)
        await untilReady(one, 503)
        await expectClosed(world, one, customer)
        await untilLogged(one, 'is full')
        rmSync(fill)
        await untilReady(one, 200)
        await expectAnswered(world, one, customer)
        expect(await world.command('ledger', 'verify')).toMatchObject({ code: 0 })
      } finally {
        unmount(mounted)
      }
    },
    TEST_LIMIT_MS,
  )
})

/** Writes until the file system takes nothing more. */
async function fillUp(path: string): Promise<void> {
  const dd = Bun.spawn(['dd', 'if=/dev/zero', `of=${path}`, 'bs=4096'], { stderr: 'ignore' })
  expect(await dd.exited).not.toBe(0)
}

describe('a database file', () => {
  test(
    'that is deleted closes the gateway, and the log says what to do',
    async () => {
      const { world, one, path, customer } = await start()
      await using _ = world
      await expectAnswered(world, one, customer)
      rmSync(path)
      await untilReady(one, 503)
      await expectClosed(world, one, customer)
      await expectNothingWritten(one, customer)
      await untilLogged(one, 'was deleted while it is open')
      expect(one.log()).toContain('until this process is started again')
      expect(timesIn(one.log(), 'the database cannot be used')).toBe(1)
    },
    TEST_LIMIT_MS,
  )

  test(
    'that is moved away and back closes the gateway meanwhile, and loses nothing',
    async () => {
      const { world, one, path, customer } = await start()
      await using _ = world
      renameSync(path, `${path}.away`)
      await untilReady(one, 503)
      await expectClosed(world, one, customer)
      renameSync(`${path}.away`, path)
      await untilReady(one, 200)
      await expectAnswered(world, one, customer)
      expect(await world.command('ledger', 'verify')).toMatchObject({ code: 0 })
    },
    TEST_LIMIT_MS,
  )

  test(
    'that is deleted is not begun anew beside the gateway that has it open',
    async () => {
      const { world, one, path, customer } = await start()
      await using _ = world
      await expectAnswered(world, one, customer)
      rmSync(path)
      await untilReady(one, 503)
      const refused = await world.command('workspace', 'create', 'Neu')
      expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('-wal is still there') })
      expect(existsSync(path)).toBe(false)
    },
    TEST_LIMIT_MS,
  )

  test(
    'that is replaced by another closes the gateway: it serves from neither',
    async () => {
      const { world, one, path, customer } = await start()
      await using _ = world
      copyFileSync(path, `${path}.other`)
      renameSync(`${path}.other`, path)
      await untilReady(one, 503)
      await expectClosed(world, one, customer)
      await untilLogged(one, 'was replaced while it is open')
    },
    TEST_LIMIT_MS,
  )
})
