import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ADMIN_TOKEN, type AdminWorld, createAdminWorld } from '../../test/support/adminWorld.ts'
import { runCommand } from '../../test/support/commandLine.ts'

let world: AdminWorld
let server: ReturnType<typeof Bun.serve>
let asked: string[] = []
let folder: string

beforeAll(async () => {
  world = await createAdminWorld()
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => {
      asked.push(`${request.method} ${new URL(request.url).pathname}`)
      return world.fetch(request)
    },
  })
  folder = mkdtempSync(join(tmpdir(), 'tollgate-named-'))
})
afterAll(async () => {
  await server.stop(true)
  await world.close()
  rmSync(folder, { recursive: true })
})

const unique = (name: string) => `${name}-${crypto.randomUUID().slice(0, 8)}`

describe.each([
  ['beside the database', () => ({})],
  ['through the admin API', () => ({ TOLLGATE_URL: server.url.href, TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN })],
])('a name in the place of an id, %s', (_where, environment) => {
  const go = (...argv: string[]) => runCommand(world, argv, { env: environment() })
  const made = async (...argv: string[]) => (await go(...argv, '--json')).json

  test('names the admin token that has it and the command to give, and touches nothing', async () => {
    const name = unique('ci')
    const { id } = await made('token', 'create', name)
    const { code, out, err } = await go('token', 'revoke', name)
    expect({ code, out, err }).toEqual({
      code: 1,
      out: '',
      err: `tollgate: "${name}" is not an id. The admin token named "${name}" is ${id}: tollgate token revoke ${id}\n`,
    })
    expect((await go('token', 'revoke', id)).code).toBe(0)
    expect((await go('token', 'revoke', name)).err).toBe(
      `tollgate: "${name}" is not an id. The admin token named "${name}" is ${id} (revoked).\n`,
    )
  })

  test('of several names three, says which are revoked, and which one is in force', async () => {
    const name = unique('ci')
    let last = ''
    for (let i = 0; i < 4; i++) {
      last = (await made('token', 'create', name)).id
      if (i < 3) await go('token', 'revoke', last)
    }
    const { err } = await go('token', 'revoke', name)
    expect(err).toContain(`4 admin tokens are named "${name}": ${last}, `)
    expect(err.match(/token_[0-9A-Z]{26} \(revoked\)/g)).toHaveLength(2)
    expect(err).toEndWith(`, and 1 more. The one that is not revoked: tollgate token revoke ${last}\n`)
  })

  test('that several keys have is left to whoever asks, with their workspaces', async () => {
    const name = unique('build')
    const keys = await Promise.all(
      ['Blue', 'Red'].map(async (team) => {
        const workspace = (await made('workspace', 'create', team)).id
        return `${(await made('key', 'create', workspace, name)).id} of ${workspace}`
      }),
    )
    const { err } = await go('key', 'revoke', name)
    for (const key of keys) expect(err).toContain(key)
    expect(err).toContain(`2 keys are named "${name}": `)
    expect(err).not.toContain('tollgate key revoke')
  })

  test('is explained by every command that takes a key or a workspace, as it was given', async () => {
    const [team, build] = [unique('Acme & Co'), unique('build')]
    const workspace = (await made('workspace', 'create', team)).id
    const key = (await made('key', 'create', workspace, build)).id
    for (const [argv, again] of [
      [['key', 'show', build], `tollgate key show ${key}`],
      [['key', 'revoke', build], `tollgate key revoke ${key}`],
      [
        ['key', 'rotate', build, '--overlap-seconds', '60'],
        `tollgate key rotate ${key} --overlap-seconds 60`,
      ],
      [['key', 'update', build, '--name', 'my key'], `tollgate key update ${key} --name 'my key'`],
      [['request', 'list', '--key', build], `tollgate request list --key ${key}`],
      [['workspace', 'show', team], `tollgate workspace show ${workspace}`],
      [
        ['workspace', 'update', team, '--models', 'all'],
        `tollgate workspace update ${workspace} --models all`,
      ],
      [['key', 'create', team, 'x'], `tollgate key create ${workspace} x`],
      [['key', 'list', team], `tollgate key list ${workspace}`],
      [['ledger', 'list', team], `tollgate ledger list ${workspace}`],
      [['credit', 'add', team, '25', '--refund'], `tollgate credit add ${workspace} 25 --refund`],
      [['usage', '--workspace', team.toLowerCase()], `tollgate usage --workspace ${workspace}`],
      [['audit', '--workspace', team], `tollgate audit --workspace ${workspace}`],
    ] as const) {
      const { code, err } = await go(...argv)
      expect([argv, code]).toEqual([argv, 1])
      expect(err).toEndWith(`: ${again}\n`)
      expect(err).toContain('" is not an id. The ')
    }
    expect((await made('key', 'show', key)).status).toBe('active')
    expect((await made('workspace', 'show', workspace)).balance_usd).toBe('0.00')
  })

  test('that nothing has says so, and an id that names nothing stays what it is', async () => {
    const name = unique('nobody')
    expect((await go('token', 'revoke', name)).err).toBe(
      `tollgate: "${name}" is not an id, and no admin token has this name. List them: tollgate token list --all\n`,
    )
    expect((await go('workspace', 'show', name)).err).toContain('tollgate workspace list --all\n')
    expect((await go('key', 'show', name)).err).toContain(': tollgate key list WORKSPACE --all\n')
    for (const id of ['token_01K8XJ5M7QZ3V9T4B6N2C1D0FG', 'token_gone'])
      expect((await go('token', 'revoke', id)).err).toBe(`tollgate: There is no admin token "${id}".\n`)
  })

  test('that looks like an id, and an id of something else, are not taken for "already gone"', async () => {
    const name = unique('key_build')
    const workspace = (await made('workspace', 'create', 'Team')).id
    const key = (await made('key', 'create', workspace, name)).id
    expect((await go('key', 'revoke', name)).err).toBe(
      `tollgate: There is no key "${name}". The key named "${name}" is ${key} of ${workspace}: tollgate key revoke ${key}\n`,
    )
    expect((await go('token', 'revoke', key)).err).toBe(
      `tollgate: "${key}" is the id of a key, not of an admin token. List them: tollgate token list --all\n`,
    )
  })

  test('that is a secret is neither shown nor looked for', async () => {
    const { token } = await made('token', 'create', unique('ci'))
    asked = []
    const { err } = await go('token', 'revoke', token)
    expect(err).toContain('looks like an admin token itself')
    expect(err).not.toContain(token)
    expect(asked.filter((request) => request.startsWith('GET'))).toEqual([])
  })
})

test('the command to give shows no admin token and no password', async () => {
  const name = unique('Acme')
  const workspace = (await runCommand(world, ['workspace', 'create', name, '--json'])).json.id
  const url = server.url.origin
  const { err } = await runCommand(world, [
    'workspace',
    'show',
    name,
    '--url',
    url,
    '--admin-token',
    ADMIN_TOKEN,
  ])
  expect(err).toEndWith(`: tollgate workspace show ${workspace} --url ${url} --admin-token TOKEN\n`)
})

test('a look-up that fails leaves the first answer, and a long list is not read to its end', async () => {
  const page = await world.ask('GET', '/api/v1/admin/workspaces?limit=1')
  let pages = 0
  const answer = { broken: false }
  const endless = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => {
      if (!new URL(request.url).searchParams.has('limit')) return world.fetch(request)
      if (answer.broken) return new Response('gone', { status: 500 })
      return Response.json({ ...page, next_cursor: `page-${pages++}` })
    },
  })
  const setting = { env: { TOLLGATE_URL: endless.url.href, TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN } }
  const { err } = await runCommand(world, ['workspace', 'show', 'Nobody'], setting)
  expect(err).toContain('"Nobody" is not an id, and of the newest 500 workspaces none has this name.')
  expect(pages).toBe(5)
  const { name } = page.data[0]
  const found = await runCommand(world, ['workspace', 'show', name], setting)
  expect(found.err).toContain('At least 5 workspaces are named')
  expect(found.err).toContain('There are more than these: tollgate workspace list --all')
  answer.broken = true
  const failed = await runCommand(world, ['workspace', 'show', 'Nobody'], setting)
  expect(failed.err).toBe('tollgate: There is no workspace "Nobody".\n')
  await endless.stop(true)
})

test('ledger export explains a name, too', async () => {
  const name = unique('Acme')
  const { id } = (await runCommand(world, ['workspace', 'create', name, '--json'])).json
  const output = join(folder, 'ledger.csv')
  const { code, err } = await runCommand(world, ['ledger', 'export', '--workspace', name, '--output', output])
  expect({ code, err }).toEqual({
    code: 1,
    err: `tollgate: "${name}" is not an id. The workspace named "${name}" is ${id}: tollgate ledger export --workspace ${id} --output ${output}\n`,
  })
})
