import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ADMIN_TOKEN, type AdminWorld, createAdminWorld } from '../../test/support/adminWorld.ts'
import { runCommand } from '../../test/support/commandLine.ts'

let world: AdminWorld
let server: ReturnType<typeof Bun.serve>
beforeAll(async () => {
  world = await createAdminWorld()
  server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => world.fetch(request) })
})
afterAll(async () => {
  await server.stop(true)
  await world.close()
})

const remote = () => ({ TOLLGATE_URL: server.url.href, TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN })
const run = (argv: readonly string[], env: Record<string, string> = {}) => runCommand(world, argv, { env })
const newWorkspace = async () => (await run(['workspace', 'create', 'Team', '--json'])).json.id as string
const newKey = async () =>
  (await run(['key', 'create', await newWorkspace(), 'ci', '--json'])).json.id as string

describe.each([
  ['beside the database', () => ({})],
  ['through the admin API', remote],
])('a change that changes nothing, %s', (where, environment) => {
  const place = () => (where === 'beside the database' ? `sqlite:${world.databasePath}` : server.url.origin)

  test('is said to be none, and a true one is said to be one', async () => {
    const [key, workspace] = [await newKey(), await newWorkspace()]
    for (const argv of [
      ['key', 'update', key, '--monthly-spend-usd', '5', '--models', 'acme/plain'],
      ['workspace', 'update', workspace, '--requests-per-minute', '7', '--name', 'Blue'],
    ]) {
      expect((await run(argv, environment())).err).toBe(`Changed ${place()}.\n`)
      const again = await run(argv, environment())
      expect(again.code).toBe(0)
      expect(again.err).toBe(`Nothing to change in ${place()}.\n`)
      expect(again.out).toContain(argv[2] ?? '')
      expect((await run([...argv, '--json'], environment())).err).toBe('')
    }
  })

  test.each(['key', 'workspace'])(
    '%s update without an option names the options, and does nothing',
    async (what) => {
      const { code, out, err } = await run([what, 'update', 'x'], environment())
      expect({ code, out }).toEqual({ code: 2, out: '' })
      expect(err).toContain(`${what} update needs something to change: --name, `)
      expect(err).toContain('--requests-per-minute')
    },
  )

  test('values that cannot be name what was typed; JSON names the field of the API', async () => {
    const [key, workspace] = [await newKey(), await newWorkspace()]
    const amount =
      'must be a decimal amount in US dollars with at most nine decimals, such as "12.50": digits and one point, no comma, no currency sign.'
    for (const [argv, message] of [
      [['credit', 'add', workspace, '5,000'], `AMOUNT: ${amount}`],
      [['credit', 'add', workspace, '$50'], `AMOUNT: ${amount}`],
      [['credit', 'adjust', workspace, '20€'], `AMOUNT: ${amount}`],
      [['credit', 'add', workspace, '--amount', '20€'], `--amount: ${amount}`],
      [['credit', 'add', workspace, '--amount=20€'], `--amount: ${amount}`],
      [['key', 'update', key, '--monthly-spend-usd', '1,5'], `--monthly-spend-usd: ${amount}`],
      [['key', 'update', key, '--requests-per-minute', '0'], '--requests-per-minute: must be at least 1.'],
      [['key', 'update', key, '--models', 'acme/plan'], '--models: there is no model "acme/plan"'],
      [['key', 'update', key, '--expires-at', '2001-09-10'], '--expires-at: is in the past.'],
      [['key', 'rotate', key, '--overlap-seconds', '99999999'], '--overlap-seconds: must not be above'],
      [['key', 'create', workspace, ' '], 'NAME: must not be empty.'],
      [['key', 'create', workspace, '--name', ' '], '--name: must not be empty.'],
      [['workspace', 'create', 'x', '--type', 'club'], '--type: must be one of personal, organization.'],
      [['credit', 'add', workspace, '5', '--idempotency-key', 'ä'], '--idempotency-key: must be 1 to 255'],
      [['usage', '--group-by', 'week'], '--group-by: must be one of'],
      [['usage', '--model', 'acme/x'], '--model: there is no model "acme/x"'],
      [['usage', '--from', '2026-11-20', '--to', '2026-11-19'], '--to: must be after --from.'],
      [['usage', '--workspace', ''], '--workspace: must not be empty.'],
      [['request', 'list', '--key', ''], '--key: must not be empty.'],
      [['workspace', 'list', '--limit', 'x'], '--limit: must be a whole number'],
      [['usage', '--from', '2026-02-30'], '--from: this date or time does not exist: 2026-02-30.'],
      [['token', 'create', 'Configuration'], 'NAME: "Configuration" is reserved. Take another name.'],
    ] as const) {
      const { code, err } = await run(argv, environment())
      expect([argv, code]).toEqual([argv, 2])
      expect(err).toStartWith(`tollgate: ${message}`)
    }
    const once = ['credit', 'add', workspace, '5', '--idempotency-key', `k-${workspace}`]
    expect((await run(once, environment())).code).toBe(0)
    const other = await run(once.with(3, '6'), environment())
    expect(other.err).toContain('This --idempotency-key was used for another credit.')
    const { json } = await run(['credit', 'add', workspace, '5,000', '--json'], environment())
    expect(json.error).toMatchObject({ param: 'amount_usd', message: `amount_usd: ${amount}` })
  })
})

test('a key made twice under one idempotency key: the same answer from afar, what was made beside the database', async () => {
  const workspace = await newWorkspace()
  const make = (key: string, env: Record<string, string>) =>
    run(['key', 'create', workspace, 'ci', '--idempotency-key', `${key}-${workspace}`], env)
  const first = await make('far', remote())
  expect(await make('far', remote())).toMatchObject({ code: 0, out: first.out })
  const { out } = await make('near', {})
  const again = await make('near', {})
  expect(again).toMatchObject({ code: 1, out: '' })
  expect(again.err).toContain(/key_[0-9A-Z]{26}/.exec(out)?.[0] ?? 'an id')
  expect(again.err).not.toMatch(/tg_[0-9A-Z]{52}/)
})

test('beside the database a repetition and a second revocation are said to change nothing', async () => {
  const [workspace, key] = [await newWorkspace(), await newKey()]
  const token = (await run(['token', 'create', `ci ${key}`, '--json'])).json.id
  for (const argv of [
    ['credit', 'add', workspace, '5', '--idempotency-key', `k-${workspace}`],
    ['key', 'revoke', key],
    ['token', 'revoke', token],
  ]) {
    expect((await run(argv)).err).toStartWith('Changed ')
    expect((await run(argv)).err).toStartWith('Nothing to change in ')
  }
})

describe('an option of the remote installation', () => {
  test.each(['token list', 'workspace create x', 'models'])(
    'without one is refused, and nothing is done here: %s',
    async (line) => {
      const before = (await run(['workspace', 'list', '--all', '--json'])).json
      const { code, out, err } = await run([...line.split(' '), '--admin-token', 'WRONG'])
      expect({ code, out }).toEqual({ code: 2, out: '' })
      expect(err).toContain(
        '--admin-token belongs to --url: name the installation with --url or TOLLGATE_URL',
      )
      expect((await run(['workspace', 'list', '--all', '--json'])).json).toEqual(before)
    },
  )

  test('beside a flag that names the database here is refused, although TOLLGATE_URL is set', async () => {
    const argv = [
      'token',
      'list',
      '--database-url',
      `sqlite:${world.databasePath}`,
      '--admin-token',
      ADMIN_TOKEN,
    ]
    const { code, err } = await run(argv, remote())
    expect(code).toBe(2)
    expect(err).toContain('--admin-token belongs to --url, and --database-url names this installation')
  })

  test('goes with TOLLGATE_URL, and as a variable it may stand alone', async () => {
    const { TOLLGATE_URL } = remote()
    expect((await run(['token', 'list', '--admin-token', ADMIN_TOKEN], { TOLLGATE_URL })).code).toBe(0)
    expect((await run(['token', 'list'], { TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN })).code).toBe(0)
    expect((await run(['serve', '--admin-token', ADMIN_TOKEN])).code).toBe(0)
  })
})

describe('a path in --url', () => {
  const at = (path: string) =>
    run(['token', 'list', '--url', `${server.url.origin}${path}`, '--admin-token', ADMIN_TOKEN])

  test.each(['/api/v1/admin', '/api/v1/admin/', '/v1', '/docs', '/gateway'])(
    '%s that the gateway does not have is said to be too much',
    async (path) => {
      const { code, out, err } = await at(path)
      expect({ code, out }).toEqual({ code: 2, out: '' })
      expect(err).toContain(`--url ${server.url.origin}\n`)
      expect(err).toContain('without a path')
    },
  )

  test('that a proxy puts before the gateway is kept', async () => {
    const proxy = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: (request) => {
        const { pathname, search } = new URL(request.url)
        if (!pathname.startsWith('/gateway/')) return new Response('no', { status: 404 })
        return world.fetch(
          new Request(`${server.url.origin}${pathname.slice('/gateway'.length)}${search}`, request),
        )
      },
    })
    const below = (path: string, ...argv: string[]) =>
      run([...argv, '--url', `${proxy.url.origin}${path}`, '--admin-token', ADMIN_TOKEN])
    expect((await below('/gateway', 'token', 'list')).code).toBe(0)
    expect((await below('/gateway', 'workspace', 'show', 'ws_nobody')).err).toBe(
      'tollgate: There is no workspace "ws_nobody".\n',
    )
    const tooMuch = await below('/gateway/api/v1/admin', 'token', 'list')
    expect(tooMuch.err).toContain(`--url ${proxy.url.origin}/gateway\n`)
    const wrong = await below('/elsewhere', 'token', 'list')
    expect(wrong.err).toContain('not a response of the admin API')
    expect(wrong.err).toContain(`--url ${proxy.url.origin}\n`)
    await proxy.stop(true)
  })
})

describe('help', () => {
  test('of audit says that one action is taken, and which ids a subject may be', async () => {
    const { out } = await run(['audit', '--help'])
    expect(out).toContain('only this one: workspace.create, ')
    for (const part of ['ws_…', 'key_…', 'token_…', 'tr_…']) expect(out).toContain(part)
  })

  test('of --idempotency-key says what a repetition gives, and what it cannot give again', async () => {
    for (const command of ['key create', 'key rotate', 'token create']) {
      const { out } = await run([...command.split(' '), '--help'])
      expect(out).toContain(
        'With --url and the same admin token, the response is kept for ten minutes, secret included',
      )
      expect(out).toContain('without --url, the secret is not kept: the command says what was created')
    }
    for (const command of ['workspace create', 'credit add'])
      expect((await run([...command.split(' '), '--help'])).out).toContain('gets the first response again')
  })
})
