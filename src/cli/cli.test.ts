import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { ids, LEASE_MS, openCall } from '../../test/contract/customer.ts'
import { type AdminWorld, ADMIN_TOKEN, createAdminWorld, NOON, usd } from '../../test/support/adminWorld.ts'
import { createBlockedProvider, openCircuit, parkedKey } from '../../test/support/blockedProvider.ts'
import { defined, readFile, type Run, runCommand, type Setting } from '../../test/support/commandLine.ts'
import { PROGRAM } from '../../test/support/program.ts'
import { loadSettings } from '../config/loadSettings.ts'
import type { DatabaseSettings } from '../config/settings.ts'
import type { TransferId, WorkspaceId } from '../core/id.ts'
import { nano } from '../core/money.ts'
import type { Transfer, Verification } from '../core/ports/books.ts'
import { MoveRefused } from '../core/ports/move.ts'
import type { RefusedCall } from '../core/ports/refusals.ts'
import type { Store } from '../core/ports/store.ts'
import { StoreUnavailable } from '../core/ports/till.ts'
import { dayOf } from '../core/refusedCalls.ts'
import { openStore } from '../store/open.ts'
import { COMMANDS } from './commands/index.ts'
import type { CliDeps, ProviderTest } from './deps.ts'

let world: AdminWorld
let server: ReturnType<typeof Bun.serve>
let directory: string
const acme = createBlockedProvider()

beforeAll(async () => {
  world = await createAdminWorld(acme.deps)
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => world.fetch(request, { address: '203.0.113.7' }),
  })
  directory = mkdtempSync(join(tmpdir(), 'tollgate-cli-'))
})
afterAll(async () => {
  await server.stop(true)
  await world.close()
  rmSync(directory, { recursive: true })
})

const run = (argv: readonly string[], setting: Setting = {}): Promise<Run> => runCommand(world, argv, setting)

const newWorkspace = async () => (await run(['workspace', 'create', 'Team', '--json'])).json
const newKey = async (...more: string[]) => {
  const { id } = await newWorkspace()
  return (await run(['key', 'create', id, 'ci', '--json', ...more])).json
}

const remote = () => ({ TOLLGATE_URL: server.url.href, TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN })

describe.each([
  ['beside the database', () => ({})],
  ['through the admin API', remote],
])('%s', (_where, environment) => {
  const go = (...argv: string[]) => run(argv, { env: environment() })
  const json = async (...argv: string[]) => (await go(...argv, '--json')).json

  test('an admin token is created, shown once, listed and revoked', async () => {
    const name = `ci ${crypto.randomUUID()}`
    const created = await go('token', 'create', name)
    const id = /token_[0-9A-Z]{26}/.exec(created.out)?.[0] ?? ''
    const token = /tga_[0-9A-Z]{52}/.exec(created.out)?.[0] ?? ''
    expect([created.code, token.length > 0]).toEqual([0, true])
    const own = { TOLLGATE_URL: server.url.href, TOLLGATE_ADMIN_TOKEN: token }
    expect((await run(['workspace', 'list'], { env: own })).code).toBe(0)
    await world.deps.door.flush()
    const { data } = await json('token', 'list', '--all')
    expect(data).toContainEqual(
      expect.objectContaining({ id, name, status: 'active', last_used_from: '203.0.113.7' }),
    )
    const revoked = await go('token', 'revoke', id)
    expect(revoked.out).toBe(`The admin token ${id} (${name}) is revoked.\n`)
    expect((await run(['workspace', 'list'], { env: own })).code).toBe(1)
    expect((await go('token', 'list')).out).toContain('revoked')
    expect((await go('token', 'create', name)).code).toBe(0)
    expect((await go('token', 'create', name)).err).toContain('has this name')
  })

  test('what was changed is listed by who, and shown whole', async () => {
    const { id, workspace_id: workspace } = await newKey()
    await go('key', 'update', id, '--requests-per-day', '7', '--models', 'acme/chat-1')
    const who = Object.keys(environment()).length === 0 ? 'ada (command line)' : 'configuration'
    const list = await go('audit', '--subject', id, '--action', 'key.update')
    expect(list.out).toContain(who)
    expect(list.out).toContain('requests_per_day: 7, models: ["acme/chat-1"]')
    const [entry] = (await json('audit', '--workspace', workspace, '--action', 'key.update')).data
    expect(entry).toMatchObject({
      subject: id,
      address: who === 'configuration' ? '203.0.113.7' : 'desk',
      changes: { requests_per_day: { before: null, after: 7 } },
    })
    expect(await json('audit', entry.id)).toEqual(entry)
    const whole = await go('audit', entry.id)
    expect(whole.out).toMatch(/requests_per_day +none +7/)
    expect((await go('audit', entry.id, '--actor', 'ada')).code).toBe(2)
    expect((await go('audit', '--action', 'key.make')).err).toContain('action')
  })

  test('a workspace is created, listed, shown and updated', async () => {
    const created = await json(
      'workspace',
      'create',
      'Team Blue',
      '--type',
      'organization',
      '--models',
      'acme/chat-1, acme/plain',
    )
    expect(created).toMatchObject({
      name: 'Team Blue',
      type: 'organization',
      requests_per_minute: null,
      models: ['acme/chat-1', 'acme/plain'],
      balance_usd: '0.00',
    })
    expect((await json('workspace', 'list', '--all')).data).toContainEqual(created)
    const { id } = created
    expect(id).toStartWith('ws_')
    const updated = await json('workspace', 'update', id, '--requests-per-minute', '300', '--models', 'all')
    expect(updated).toEqual({ ...created, requests_per_minute: 300, models: null })
    expect(await json('workspace', 'update', id, '--requests-per-minute', 'none')).toMatchObject({
      requests_per_minute: null,
    })
    for (const [word, keeps] of [
      ['off', false],
      ['on', true],
    ] as const) {
      const changed = await json('workspace', 'update', id, '--keep-responses', word)
      expect(changed).toMatchObject({ keep_responses: keeps })
    }
    const closed = await json('workspace', 'create', 'Private', '--keep-responses=off')
    expect(closed).toMatchObject({ keep_responses: false })
    expect((await go('workspace', 'show', closed.id)).out).toMatch(/responses kept +no/)
    const { code, out } = await go('workspace', 'show', id)
    expect(code).toBe(0)
    expect(out).toMatch(/responses kept +yes/)
    expect(out).toContain(id)
    expect(out).toContain('Team Blue')
  })

  test('a key is created, shown, updated, rotated and revoked', async () => {
    const { id: workspace } = await json('workspace', 'create', 'Team')
    const key = await json(
      ...`key create ${workspace} ci --requests-per-minute=5 --requests-per-day 1000`.split(' '),
      ...'--monthly-spend-usd 20 --concurrent-requests 2 --expires-at 2027-01-01'.split(' '),
    )
    expect(key).toMatchObject({
      workspace_id: workspace,
      requests_per_minute: 5,
      requests_per_day: 1000,
      monthly_spend_usd: '20.00',
      concurrent_requests: 2,
      expires_at: Date.UTC(2027, 0, 1) / 1000,
    })
    const { id } = key
    expect(key.key).toStartWith('tg_')
    expect(await json('key', 'update', id, '--monthly-spend-usd', 'none', '--name', 'x')).toMatchObject({
      name: 'x',
      monthly_spend_usd: null,
      requests_per_day: 1000,
    })
    expect(await json('key', 'show', id)).toMatchObject({ id, used: { open_calls: 0 } })
    const rotated = await json('key', 'rotate', id, '--overlap-seconds', '60')
    expect(rotated).toMatchObject({ name: 'x', requests_per_day: 1000, previous: { id, status: 'active' } })
    expect(await json('key', 'revoke', rotated.id)).toEqual({ id: rotated.id, status: 'revoked' })
    const { data } = await json('key', 'list', workspace)
    expect(data.map((row: { status: string }) => row.status).sort()).toEqual(['active', 'revoked'])
  })

  test('credit is added once per idempotency key, refunded and adjusted', async () => {
    const { id } = await json('workspace', 'create', 'Team')
    const once = ['credit', 'add', id, '25', '--note', 'invoice', '--idempotency-key', `k-${id}`]
    const first = await json(...once)
    expect(first).toMatchObject({ kind: 'topup', amount_usd: '25.00', note: 'invoice' })
    expect(await json(...once)).toEqual(first)
    expect(await json('credit', 'add', id, '1', '--refund')).toMatchObject({
      kind: 'refund',
      balance_usd: '26.00',
    })
    for (const amount of ['-2', '3']) {
      expect(await json('credit', 'adjust', id, amount)).toMatchObject({ kind: 'adjust' })
    }
    const { data } = await json('ledger', 'list', id)
    expect(data.map((row: { balance_usd: string }) => row.balance_usd)).toEqual([
      '21.00',
      '24.00',
      '26.00',
      '25.00',
    ])
    const refused = await go('credit', 'adjust', id, '100')
    expect(refused.code).toBe(1)
    expect(refused.err).toContain('21.00')
  })

  test('usage and receipts are reported', async () => {
    const { id: workspace } = await json('workspace', 'create', 'Team')
    const key = await json('key', 'create', workspace)
    await go('credit', 'add', workspace, '1')
    const id = await world.complete(key)
    expect(
      await json('usage', '--workspace', workspace, '--group-by', 'model', '--from', '2026-11-01'),
    ).toMatchObject({
      data: [{ group: 'acme/chat-1', requests: 1, charge_usd: '0.0007005' }],
    })
    expect((await json('request', 'list', '--key', key.id)).data).toMatchObject([{ id }])
    const { out } = await go('request', 'show', id)
    for (const part of ['0.0007005 USD', 'cached_input', 'other/x', 'overloaded']) expect(out).toContain(part)
    expect(out).toContain('other/x: The provider was overloaded.\n')
  })

  test('a receipt without an attempt says why no provider was called', async () => {
    const { id: workspace } = await json('workspace', 'create', 'Team')
    const key = await json('key', 'create', workspace)
    await go('credit', 'add', workspace, '1')
    const refused = { ending: 'refused', attempts: [] } as const
    for (const [status, why] of [
      [502, "each had rejected the gateway's key, or had no credit left"],
      [503, 'each was paused after failures or rate limits'],
      [400, 'none of them can do what the request asks for'],
    ] as const) {
      const id = await world.complete(key, { ...refused, status })
      expect((await go('request', 'show', id)).out).toContain(`No provider was called: ${why}`)
    }
  })

  test('a call that was never settled says what its hold became, and that it cost nothing', async () => {
    const { id: workspaceId } = await json('workspace', 'create', 'Team')
    const { id: keyId } = await json('key', 'create', workspaceId)
    await go('credit', 'add', workspaceId, '1')
    const id = await openCall(world.store, { workspaceId, keyId }, 10_000_000n, { at: world.clock })
    const open = await go('request', 'show', id)
    expect(open).toMatchObject({ code: 1, out: '' })
    expect(open.err).toBe(
      `tollgate: There is no receipt of the request "${id}" yet: it holds 0.01 USD of workspace ${workspaceId}. The call is under way, or its process has ended: then the hold is released within 45 seconds, and it costs nothing.\n`,
    )
    const at = world.clock + LEASE_MS
    expect(await world.store.till.sweep(at)).toBe(1)
    const ended = await go('request', 'show', id, '--json')
    expect([ended.code, ended.json.error.code]).toEqual([1, 'not_found'])
    expect(ended.json.error.message).toBe(
      `There is no receipt of the request "${id}": its process ended, or lost its database, before the call was settled. Its hold of 0.01 USD of workspace ${workspaceId} was released at ${new Date(at).toISOString()}, and it cost nothing.`,
    )
    expect((await go('request', 'show', ids.request('chatcmpl-'))).err).toContain('There is no request "')
  })

  test('what failed is listed, and a refused call is shown in words', async () => {
    const { id: workspace } = await json('workspace', 'create', 'Team')
    const key = await json('key', 'create', workspace)
    await go('credit', 'add', workspace, '1')
    await world.complete(key)
    const failed = await world.complete(key, { status: 502, ending: 'provider_failed_before_answer' })
    const refused: RefusedCall = {
      id: world.deps.ids.request('chatcmpl-'),
      workspaceId: workspace,
      keyId: key.id,
      at: NOON + 1_000,
      status: 404,
      code: 'model_not_found',
      message: 'The model "acme/none" does not exist.',
      param: 'model',
      model: 'acme/none',
      address: '203.0.113.7',
    }
    const { keyId, code } = refused
    await world.store.refusals.count([{ keyId, day: dayOf(NOON), code, refused: 4_312 }])
    await world.store.refusals.keep([refused])
    const list = ['request', 'list', '--failed', '--workspace', workspace]
    expect((await json(...list)).data).toMatchObject([
      { kind: 'refused', id: refused.id },
      { kind: 'receipt', id: failed },
    ])
    expect((await json(...list, '--to', '2026-11-20T12:00:00.5Z')).data).toMatchObject([{ id: failed }])
    expect((await json(...list, '--from', '2026-11-21')).data).toEqual([])
    const table = await go(...list)
    for (const part of ['model_not_found', 'provider_failed_before_answer']) expect(table.out).toContain(part)
    const shown = await go('request', 'show', refused.id)
    for (const part of [
      refused.message,
      refused.address ?? '',
      ': 4312, of which 1 are kept',
      'model_not_found 4312',
    ])
      expect(shown.out).toContain(part)
  })

  test('what is unknown is one sentence and exit code 1', async () => {
    const { code, out, err } = await go('workspace', 'show', 'ws_nobody')
    expect({ code, out, err }).toEqual({
      code: 1,
      out: '',
      err: 'tollgate: There is no workspace "ws_nobody".\n',
    })
  })

  test('a value that cannot be is exit code 2 and names the option', async () => {
    const { id } = await json('workspace', 'create', 'Team')
    const { code, err } = await go('key', 'create', id, '--requests-per-minute', '0')
    expect(code).toBe(2)
    expect(err).toBe('tollgate: --requests-per-minute: must be at least 1.\n')
  })
})

test('a token of the configuration that is typed as a name is exit code 2, and not repeated', async () => {
  const { id } = await newWorkspace()
  const token = 'kf83hsk20dk4mfh5'
  const { code, err, out } = await run(['key', 'create', id, `for ${token}`], {
    env: { TOLLGATE_ADMIN_TOKEN: token },
  })
  expect([code, out]).toEqual([2, ''])
  expect(err).toContain("must not hold a token or a provider's key of the configuration.")
  expect(err).not.toContain(token)
})

describe('lists', () => {
  test('say how to go on, and --all puts the pages together', async () => {
    const { id } = await newWorkspace()
    for (let i = 1; i <= 3; i++) await run(['credit', 'add', id, String(i)])
    const page = await run(['ledger', 'list', id, '--limit', '2'])
    expect(page.out.split('\n').length).toBe(4)
    const cursor = /--cursor (\S+),/.exec(page.err)?.[1] ?? ''
    const rest = await run(['ledger', 'list', id, '--limit', '2', '--cursor', cursor])
    expect(rest.out).toContain('1.00')
    expect(rest.err).toBe('')
    const all = (await run(['ledger', 'list', id, '--all', '--json'])).json
    expect(all.data.map((row: { amount_usd: string }) => row.amount_usd)).toEqual(['3.00', '2.00', '1.00'])
    expect(all.next_cursor).toBeNull()
  })

  test('of keys show every number that limits a key', async () => {
    const { id } = await newWorkspace()
    const limits = { 'requests-per-minute': 61, 'requests-per-day': 62, 'concurrent-requests': 64 }
    const options = Object.entries(limits).flatMap(([name, limit]) => [`--${name}`, String(limit)])
    await run(['key', 'create', id, 'bot', '--monthly-spend-usd', '63', ...options])
    const { out } = await run(['key', 'list', id])
    expect(out).toMatch(/PER MINUTE +PER DAY +MONTHLY USD +CONCURRENT +EXPIRES\n/)
    expect(out).toMatch(/ 61 +62 +63\.00 +64\b/)
  })

  test('control characters of a note do not reach the terminal', async () => {
    const { id } = await newWorkspace()
    await run(['credit', 'add', id, '1', '--note', 'a\u001b[31mred'])
    const { out } = await run(['ledger', 'list', id])
    expect(out).toContain('a [31mred')
    expect(out).not.toContain('\u001b')
  })
})

describe('words for models', () => {
  test('"none" lifts the limit like any other, "all" is the same, and neither hides among ids', async () => {
    const key = await newKey('--models', 'acme/plain')
    expect(key.models).toEqual(['acme/plain'])
    for (const word of ['none', 'all', ' all ']) {
      await run(['key', 'update', key.id, '--models', 'acme/plain'])
      expect((await run(['key', 'update', key.id, '--models', word, '--json'])).json.models).toBeNull()
    }
    for (const words of ['', ' ', ',', 'all,acme/plain', 'acme/plain,none']) {
      expect(await run(['key', 'update', key.id, '--models', words])).toMatchObject({ code: 2, out: '' })
    }
    const { code, err } = await run(['key', 'update', key.id, '--models', 'acme/plan'])
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('did you mean "acme/plain"?') })
  })
})

describe('where a command works', () => {
  const other = () => join(mkdtempSync(join(directory, 'other-')), 'tollgate.db')

  test('a flag that names the database here beats TOLLGATE_URL, and both flags are a contradiction', async () => {
    const path = other()
    const env = remote()
    const created = await run(['workspace', 'create', 'Here', '--database-url', `sqlite:${path}`, '--json'], {
      env,
    })
    expect(created.code).toBe(0)
    expect(await world.ask('GET', `/api/v1/admin/workspaces/${created.json.id}`)).toHaveProperty('error')
    const both = await run([
      'workspace',
      'list',
      '--url',
      env.TOLLGATE_URL,
      '--database-url',
      `sqlite:${path}`,
    ])
    expect(both).toMatchObject({ code: 2, out: '' })
    expect(both.err).toContain('give one of them')
  })

  test('a command that changes something says where, on standard error', async () => {
    const here = await run(['workspace', 'create', 'Here'])
    expect(here.err).toBe(`Changed sqlite:${world.databasePath}.\n`)
    const there = await run(['workspace', 'create', 'There'], { env: remote() })
    expect(there.err).toBe(`Changed ${server.url.origin}.\n`)
    for (const argv of [
      ['workspace', 'list', '--all'],
      ['workspace', 'create', 'x', '--json'],
    ]) {
      expect((await run(argv)).err).toBe('')
    }
  })

  test('migrate refuses TOLLGATE_URL, unless a flag names the database; check and providers test say where they look', async () => {
    const path = other()
    const env = remote()
    const refused = await run(['migrate'], { env })
    expect(refused).toMatchObject({ code: 2, out: '' })
    expect(refused.err).toContain('TOLLGATE_URL')
    expect(existsSync(path)).toBe(false)
    const migrated = await run(['migrate', '--database-url', `sqlite:${path}`], { env })
    expect(migrated.out).toBe(`The schema of sqlite:${path} is up to date.\n`)
    for (const argv of [['check'], ['providers', 'test']]) {
      expect((await run(argv, { env })).err).toContain(`here, not at TOLLGATE_URL (${env.TOLLGATE_URL})`)
      expect((await run(argv)).err).not.toContain('TOLLGATE_URL')
    }
  })

  test('a command on data needs the database of the configuration, and nothing that it does not use', async () => {
    const path = other()
    const file = join(dirname(path), 'tollgate.yaml')
    const base = `database: ${JSON.stringify(`sqlite:${path}`)}
providers:
  acme: { wire: openai-chat, base_url: https://acme.example/v1, api_key: "\${ACME_API_KEY}" }
models:
  - { id: acme/chat, context_length: 8000, max_output_tokens: 800, our_price: { input: 1, output: 2 }, targets: [{ provider: acme, model: chat }] }
`
    writeFileSync(file, base)
    const deps: Partial<CliDeps> = {
      loadSettings: (flags) => loadSettings({ flags: defined(flags), env: {}, readFile }),
    }
    const go = (...argv: string[]) => run([...argv, '--config', file], { deps })
    expect((await go('check')).err).toContain('ACME_API_KEY')
    for (const argv of [['migrate'], ['workspace', 'create', 'Team'], ['workspace', 'list'], ['models']]) {
      expect(await go(...argv)).toMatchObject({ code: 0 })
    }
    expect((await go('models', '--json')).json.data).toMatchObject([{ id: 'acme/chat' }])

    writeFileSync(file, base.replace('context_length: 8000', 'context_length: many'))
    expect(await go('workspace', 'list')).toMatchObject({ code: 0 })
    expect(await go('models')).toMatchObject({ code: 1, out: '' })

    writeFileSync(file, base.replace('database: ', 'database: mysql:'))
    expect(await go('workspace', 'list')).toMatchObject({ code: 1, out: '' })

    const withPassword = 'postgres://tollgate:${DATABASE_PASSWORD}@127.0.0.1/tollgate'
    writeFileSync(file, base.replace(`sqlite:${path}`, withPassword))
    const { code, err } = await go('workspace', 'list')
    expect(code).toBe(1)
    expect(err).toContain('database needs the environment variable DATABASE_PASSWORD, which is not set')
    expect(err.trim().split('\n')).toHaveLength(2)
    expect(await go('workspace', 'list', '--database-url', `sqlite:${path}`)).toMatchObject({ code: 0 })
  })

  test('ledger verify fails on a database without workspaces, and names it', async () => {
    const path = other()
    await run(['migrate', '--database-url', `sqlite:${path}`])
    const { code, out, err } = await run(['ledger', 'verify', '--database-url', `sqlite:${path}`])
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain(`sqlite:${path} holds no workspaces`)
  })
})

describe('ledger verify', () => {
  test('proves a sound ledger and is silent on standard error when nobody watches', async () => {
    const key = await newKey()
    await run(['credit', 'add', key.workspace_id, '1'])
    await world.complete(key)
    const { code, out, err } = await run(['ledger', 'verify'])
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(
      /^The ledger of sqlite:\S+ is sound: \d+ workspaces?, \d+ transfers?, the last one tr_\w+ of \S+Z\.\n$/,
    )
    expect((await run(['ledger', 'verify', '--json'])).json).toMatchObject({ ok: true, differences: [] })
  })

  test('draws its progress for a person who watches, and wipes it away', async () => {
    const { out, err } = await run(['ledger', 'verify'], { errIsTty: true })
    expect(err).toContain('100 %')
    expect(err).toEndWith('\r\u001b[K')
    expect(out).not.toContain('\u001b')
  })

  test.each([
    ['a balance', { balance: usd('2') }],
    ['a held sum', { held: usd('1') }],
    ['the open holds', { openHolds: usd('1') }],
    ['the holds of the ledger', { ledgerHeld: usd('1') }],
    ['a running balance', { brokenAt: 'tr_broken' as TransferId }],
    ['its places', { sharesPlacesWith: 'ws_other' as WorkspaceId }],
  ])('names the workspace whose figures differ in %s, with exit code 1', async (_what, wrong) => {
    const sound: Verification = {
      workspaceId: 'ws_sound' as WorkspaceId,
      transfers: 3,
      balance: usd('1'),
      ledgerBalance: usd('1'),
      held: nano(0n),
      openHolds: nano(0n),
      ledgerHeld: nano(0n),
      brokenAt: null,
      sharesPlacesWith: null,
      lastTransfer: null,
    }
    const broken = { ...sound, workspaceId: 'ws_broken' as WorkspaceId, ...wrong }
    const deps = { openStore: async () => storeThatFinds([sound, broken]) }
    const { code, out } = await run(['ledger', 'verify'], { deps })
    expect(code).toBe(1)
    expect(out).toContain('ws_broken: ')
    expect(out).not.toContain('ws_sound')
    expect(out).toContain('1 of 2 workspaces differ')
    expect((await run(['ledger', 'verify', '--json'], { deps })).json).toMatchObject({
      ok: false,
      differences: [{ workspace_id: 'ws_broken' }],
    })
  })

  /** The real store, whose proof has these findings: a real ledger cannot be made to differ. */
  function storeThatFinds(findings: readonly Verification[]): Store {
    const books = {
      ...world.store.books,
      verify: async function* () {
        yield* findings
      },
    }
    return { ...world.store, books, close: async () => undefined }
  }
})

describe('ledger export', () => {
  test('with --json writes JSON lines, and never something else', async () => {
    const { id } = await newWorkspace()
    await run(['credit', 'add', id, '2'])
    const lines = await run(['ledger', 'export', '--workspace', id, '--format', 'jsonl'])
    expect(JSON.parse(lines.out)).toMatchObject({ workspace_id: id, amount_usd: '2.00' })
    for (const more of [[], ['--format', 'jsonl']]) {
      const { code, out } = await run(['ledger', 'export', '--workspace', id, '--json', ...more])
      expect([code, out]).toEqual([0, lines.out])
    }
    const refused = await run(['ledger', 'export', '--json', '--format', 'csv'])
    expect([refused.code, refused.out]).toEqual([2, ''])
    expect(refused.json.error.message).toContain('--json')
  })

  test('writes every transfer as CSV, quoted where it must be', async () => {
    const { id } = await newWorkspace()
    await run(['credit', 'add', id, '1.5', '--note', 'say "hi", friend\nbye'])
    await run(['credit', 'adjust', id, '0.5'])
    const output = join(directory, 'ledger.csv')
    const { code, out } = await run(['ledger', 'export', '--workspace', id, '--output', output])
    expect([code, out]).toEqual([0, `2 transfers are in ${output}.\n`])
    const [head, ...rows] = readFileSync(output, 'utf8').split('\r\n')
    expect(head).toBe('workspace_id,id,kind,amount_usd,balance_usd,request_id,note,created,created_at')
    expect(rows[0]).toMatch(
      new RegExp(
        `^${id},[^,]+,topup,1.50,1.50,,"say ""hi"", friend\nbye",${NOON / 1000},2026-11-20T12:00:00.000Z$`,
      ),
    )
    expect(rows[1]).toContain(',adjust,0.50,1.00,')
    expect(rows.slice(2)).toEqual([''])
  })

  test.each(['new', 'there'])('makes its file (%s) readable by its owner only', async (state) => {
    const output = join(directory, `private-${state}.csv`)
    if (state === 'there') writeFileSync(output, 'old', { mode: 0o644 })
    const before = process.umask(0)
    try {
      expect((await run(['ledger', 'export', '--output', output])).code).toBe(0)
    } finally {
      process.umask(before)
    }
    expect((statSync(output).mode & 0o777).toString(8)).toBe('600')
  })

  test('writes to a device or a pipe without changing its permissions', async () => {
    const before = statSync('/dev/null').mode
    expect((await run(['ledger', 'export', '--output', '/dev/null'])).code).toBe(0)
    expect(statSync('/dev/null').mode).toBe(before)
  })

  test.each(['csv', 'jsonl'])('without transfers replaces an old file by an empty %s', async (format) => {
    const { id } = await newWorkspace()
    const folder = mkdtempSync(join(directory, 'empty-'))
    const output = join(folder, 'ledger')
    for (const old of [true, false]) {
      if (old) writeFileSync(output, 'of last month')
      else rmSync(output)
      const { code } = await run([
        'ledger',
        'export',
        '--workspace',
        id,
        '--format',
        format,
        '--output',
        output,
      ])
      expect(code).toBe(0)
      const head = format === 'csv' ? /^workspace_id,[^\n]*\r\n$/ : /^$/
      expect(readFileSync(output, 'utf8')).toMatch(head)
    }
    expect(readdirSync(folder)).toEqual(['ledger'])
  })

  test('that breaks off leaves what was there, and nothing else', async () => {
    const folder = mkdtempSync(join(directory, 'broken-'))
    const output = join(folder, 'ledger.csv')
    writeFileSync(output, 'of last month')
    const books = {
      ...world.store.books,
      exportLedger: async function* (): AsyncGenerator<readonly Transfer[]> {
        const page = await world.store.books.ledger((await newWorkspace()).id, { limit: 1 })
        yield page.items
        throw new StoreUnavailable('the disk is gone')
      },
    }
    const deps = { openStore: async () => ({ ...world.store, books, close: async () => undefined }) }
    const { code, err } = await run(['ledger', 'export', '--output', output], { deps })
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('the disk is gone') })
    expect(readFileSync(output, 'utf8')).toBe('of last month')
    expect(readdirSync(folder)).toEqual(['ledger.csv'])
  })

  test('a note that a spreadsheet would run as a formula is text in CSV, and as it is in JSON', async () => {
    const { id } = await newWorkspace()
    const notes = ['=HYPERLINK("http://x","y")', '+1', '-1', '@SUM(A1)', '\tx']
    for (const note of notes)
      await world.ask('POST', `/api/v1/admin/workspaces/${id}/credits`, { amount_usd: '1', note })
    const csv = (await run(['ledger', 'export', '--workspace', id])).out
    for (const note of notes) {
      expect(csv).toContain(note.includes('"') ? `"'${note.replaceAll('"', '""')}"` : `,'${note},`)
    }
    const json = (await run(['ledger', 'export', '--workspace', id, '--format', 'jsonl'])).out
    expect(
      json
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).note),
    ).toEqual(notes)
  })

  test('writes JSON lines to standard output', async () => {
    const { id } = await newWorkspace()
    await run(['credit', 'add', id, '1'])
    const { out } = await run(['ledger', 'export', '--workspace', id, '--format', 'jsonl'])
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([{ workspace_id: id, kind: 'topup', amount_usd: '1.00' }])
  })

  test('says in one sentence that the file cannot be written', async () => {
    const { code, err } = await run(['ledger', 'export', '--output', join(directory, 'nowhere', 'x.csv')])
    expect(code).toBe(1)
    expect(err).toStartWith('tollgate: ENOENT')
    expect(err.trim().split('\n').length).toBe(1)
  })

  test('refuses an unknown workspace and an unknown format', async () => {
    expect(await run(['ledger', 'export', '--workspace', 'ws_nobody'])).toMatchObject({ code: 1, out: '' })
    expect(await run(['ledger', 'export', '--format', 'xml'])).toMatchObject({ code: 2, out: '' })
  })
})

describe('the gateway and its configuration', () => {
  test('check names every mistake with file, line and path, exit code 1', async () => {
    const path = join(directory, 'broken.yaml')
    writeFileSync(path, 'server:\n  port: eighty\nmodels: 5\n')
    const { code, out, err } = await run(['check', '--config', path])
    expect([code, out]).toEqual([1, ''])
    expect(err).toContain(`${path}:2:`)
    expect(err).toContain(`${path}:3:`)
    const { json } = await run(['check', path, '--json'])
    expect(json.ok).toBe(false)
    expect(json.problems.length).toBe(2)
  })

  test('check names an "@" of a password that is not encoded, wherever the URL is, without the password', async () => {
    const url = 'postgres://tollgate:hunter@Sec/ret9@db.example.com/tollgate'
    const path = join(directory, 'stray.yaml')
    writeFileSync(path, `database: ${url}\nproviders: { demo: {} }\nmodels: [{ id: demo/tiny }]\n`)
    const found = [
      await run(['check', '--database-url', url]),
      await run(['move', '--from', url, '--to', 'sqlite:x.db']),
      await run(['move', '--from', 'sqlite:x.db', '--to', url]),
      await run(['workspace', 'list', '--database-url', url]),
    ]
    for (const { code, out, err } of found) {
      expect([code > 0, out]).toEqual([true, ''])
      expect(err).toContain('has an "@" that is not the one before the host; special characters')
      expect(err).not.toContain('ret9')
    }
    for (const loaded of [
      loadSettings({ flags: { config: path }, env: {}, readFile }),
      loadSettings({ flags: {}, env: { TOLLGATE_DATABASE_URL: url }, readFile: () => undefined }),
    ]) {
      const messages = loaded.ok ? [] : loaded.problems.map(({ message }) => message)
      expect(messages).toContainEqual(expect.stringContaining('has an "@" that is not the one before'))
    }
  })

  test('a password in a database URL of the command line may be named by its variable', async () => {
    const env = { DATABASE_PASSWORD: 's3cret' }
    const url = 'postgres://tollgate:${DATABASE_PASSWORD}@db.example.com/tollgate'
    const expanded = 'postgres://tollgate:s3cret@db.example.com/tollgate?sslmode=require'
    const opened: DatabaseSettings[] = []
    const deps = {
      openStore: async (database: DatabaseSettings) => {
        opened.push(database)
        throw new StoreUnavailable('as expected')
      },
      move: async (from: DatabaseSettings, to: DatabaseSettings) => {
        opened.push(from, to)
        throw new MoveRefused('as expected')
      },
    }
    const listed = await run(['workspace', 'list', '--database-url', url], { env, deps })
    const there = await run(['move', '--from', 'sqlite:x.db', '--to', url], { env, deps })
    const back = await run(['move', '--from', url, '--to', 'sqlite:x.db'], { env, deps })
    expect(opened.map((one) => (one.engine === 'postgres' ? one.url : one.path))).toEqual([
      expanded,
      'x.db',
      expanded,
      expanded,
      'x.db',
    ])
    for (const { code, err } of [listed, there, back]) {
      expect([code, err]).toEqual([1, expect.stringContaining('as expected')])
    }
    const missing = 'needs the environment variable DATABASE_PASSWORD, which is not set'
    const unset = await run(['workspace', 'list', '--database-url', url])
    expect([unset.code, unset.err]).toEqual([1, expect.stringContaining(`--database-url ${missing}`)])
    const to = await run(['move', '--from', 'sqlite:x.db', '--to', url])
    expect([to.code, to.err]).toEqual([2, expect.stringContaining(`--to ${missing}`)])
    for (const command of ['move', 'migrate']) {
      expect((await run(['help', command])).out).toContain('${NAME} is the value of that variable')
    }
  })

  test('move without --from moves from the database of the configuration, and never from one of two', async () => {
    const moved: DatabaseSettings[] = []
    const move = async (from: DatabaseSettings) => {
      moved.push(from)
      throw new MoveRefused('as expected')
    }
    await run(['move', '--to', 'sqlite:x.db'], { deps: { move } })
    await run(['move', '--to', 'sqlite:x.db', '--database-url', 'sqlite:other.db'], { deps: { move } })
    expect(moved).toMatchObject([{ path: world.databasePath }, { path: 'other.db' }])
    const both = ['move', '--from', 'sqlite:a.db', '--database-url', 'sqlite:b.db', '--to', 'sqlite:x.db']
    expect(await run(both, { deps: { move } })).toMatchObject({
      code: 2,
      err: expect.stringContaining('--from and --database-url both name the database to move from'),
    })
    const elsewhere = await run(['move', '--to', 'sqlite:x.db'], { env: remote(), deps: { move } })
    expect([elsewhere.code, elsewhere.err]).toEqual([2, expect.stringContaining('TOLLGATE_URL')])
    expect(moved.length).toBe(2)
  })

  test('check is content with no file at all', async () => {
    const { code, json } = await run(['check', '--json'])
    expect(code).toBe(0)
    expect(json).toMatchObject({ ok: true, file: null, problems: [] })
  })

  test('serve gets the configuration and the flags, and its exit code is ours', async () => {
    const { code } = await run(['serve', '--port', '4321'], {
      deps: {
        serve: async (loaded, flags) =>
          loaded.settings.server.port === 4321 && flags.port === '4321' ? 7 : 8,
      },
    })
    expect(code).toBe(7)
  })

  test('serve refuses a configuration with mistakes and starts nothing', async () => {
    let started = false
    const serve = async () => {
      started = true
      return 0
    }
    const { code, err } = await run(['serve', '--port', 'eighty'], { deps: { serve } })
    expect([code, started]).toEqual([1, false])
    expect(err).toContain('--port')
  })

  test('migrate prepares a fresh database', async () => {
    const path = join(directory, 'fresh.db')
    const { code, out } = await run(['migrate', '--database-url', `sqlite:${path}`])
    expect([code, out]).toEqual([0, `The schema of sqlite:${path} is up to date.\n`])
    expect(readFileSync(path).subarray(0, 6).toString()).toBe('SQLite')
  })

  test('providers test shows each result; one failure is exit code 1', async () => {
    const good: ProviderTest = { provider: 'acme', model: 'm', ok: true, durationMs: 12.4, detail: undefined }
    const bad: ProviderTest = {
      provider: 'other',
      model: 'm',
      ok: false,
      durationMs: 3,
      detail: 'credential refused',
    }
    const results = (tests: ProviderTest[]) => ({
      testProviders: async function* () {
        yield* tests
      },
    })
    expect(await run(['providers', 'test'], { deps: results([good]) })).toMatchObject({ code: 0 })
    const { code, out } = await run(['providers', 'test'], { deps: results([good, bad]) })
    expect(code).toBe(1)
    expect(out).toContain('credential refused')
  })

  test('providers test takes the name of one provider, and refuses one that nobody knows', async () => {
    const asked: (string | undefined)[] = []
    const testProviders: CliDeps['testProviders'] = async function* (_, name) {
      asked.push(name)
      yield { provider: name ?? '', model: 'm', ok: true, durationMs: 1, detail: undefined }
    }
    expect(await run(['providers', 'test', 'demo'], { deps: { testProviders } })).toMatchObject({ code: 0 })
    expect(asked).toEqual(['demo'])
    const { code, err } = await run(['providers', 'test', 'nobody'], { deps: { testProviders } })
    expect(code).toBe(2)
    expect(err).toContain('nobody')
    expect(asked).toEqual(['demo'])
  })

  test('models are listed without opening the database', async () => {
    const openStore = () => Promise.reject(new StoreUnavailable('not here'))
    const { code, json } = await run(['models', '--json'], { deps: { openStore } })
    expect(code).toBe(0)
    expect(json.data[0]).toMatchObject({
      id: expect.any(String),
      our_price: { input_usd: expect.any(String) },
    })
    const { json: far } = await run(['models', '--json'], { env: remote() })
    expect(far.data[0].id).toBe('acme/chat-1')
  })
})

describe('backup and restore', () => {
  test('say what is in the copy, when its last transfer was, and what a restore loses', async () => {
    const { id } = await newWorkspace()
    await run(['credit', 'add', id, '5'])
    const file = join(directory, 'copy.db')
    const { code, out, err } = await run(['backup', file], { errIsTty: true })
    expect(code).toBe(0)
    expect(out).toContain(file)
    expect(out).toMatch(/^last transfer {2}2\d{3}-\d\d-\d\d \d\d:\d\d:\d\d\S*Z$/m)
    expect(err).toContain('checking')
    const elsewhere = ['--database-url', `sqlite:${join(directory, 'elsewhere.db')}`]
    expect((await run(['restore', file, ...elsewhere])).out).toMatch(
      /^Everything booked after .*Z is lost\.$/m,
    )
    expect(await run(['restore', file, ...elsewhere, '--json'])).toMatchObject({
      code: 0,
      json: {
        file,
        bytes: expect.any(Number),
        workspaces: expect.any(Number),
        transfers: expect.any(Number),
        last_transfer: expect.any(Number),
        sound: true,
        before: expect.stringContaining('elsewhere.db.before-restore-'),
      },
    })
  })

  test('that cannot be done are one sentence and exit code 1, and nothing is written', async () => {
    const file = join(directory, 'there.db')
    writeFileSync(file, 'mine')
    const { code, out, err } = await run(['backup', file])
    expect([code, out, err]).toEqual([1, '', `tollgate: ${file} exists; --force overwrites it\n`])
    expect(readFileSync(file, 'utf8')).toBe('mine')
    expect((await run(['restore', file, '--json'])).json.error).toMatchObject({ code: 'service_unavailable' })
  })
})

test('a backup into a folder that is not there names the folder and creates nothing', async () => {
  const folder = join(directory, 'not-mounted')
  const { code, out, err } = await run(['backup', join(folder, 'x.db')])
  expect([code, out, err]).toEqual([1, '', `tollgate: there is no folder ${folder}\n`])
  expect(existsSync(folder)).toBe(false)
})

describe('mistakes on the command line', () => {
  test.each([
    [['wokspace', 'list'], 'there is no command "wokspace"'],
    [['workspace', 'lst'], 'did you mean "workspace list"?'],
    [['workspace', 'list', '--limt', '5'], 'there is no option --limt; did you mean --limit?'],
    [['workspace', 'show'], 'WORKSPACE is missing'],
    [['workspace', 'show', 'a', 'b'], '"b" is one argument too many'],
    [['workspace', 'list', '--limit'], '--limit needs a value'],
    [['workspace', 'list', '--json=yes'], '--json takes no value'],
    [['workspace', 'list', '--limit', '1', '--limit', '2'], '--limit is given twice'],
    [
      ['workspace', 'update', 'x', '--requests-per-minute', 'many'],
      '--requests-per-minute must be a whole number',
    ],
    [
      ['workspace', 'update', 'x', '--keep-responses', 'no'],
      '--keep-responses must be "on" or "off", not "no"',
    ],
    [['key', 'rotate', 'x', '--overlap-seconds', '1h'], '--overlap-seconds must be a whole number'],
    [['credit', 'add', 'x', '-5'], 'tollgate credit adjust'],
    [
      ['workspace', 'list', '--url', 'ftp://x', '--admin-token', 't'],
      '--url must be an http or https address',
    ],
    [['workspace', 'list', '--url', 'http://x'], '--url needs --admin-token'],
    [['workspace', 'list', '--toString'], 'there is no option --toString'],
  ])('%j is exit code 2 and one sentence', async (argv, message) => {
    const { code, out, err } = await run(argv)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(message)
    expect(err).not.toContain('    at ')
  })

  test.each([[['ledger', 'verify']], [['ledger', 'export']], [['backup', 'x.db']], [['restore', 'x.db']]])(
    '%j refuses to work from afar',
    async (argv) => {
      expect(await run(argv, { env: remote() })).toMatchObject({ code: 2, out: '' })
    },
  )

  test('every argument may be given as an option of its name', async () => {
    const { id } = await newWorkspace()
    const { json } = await run(['credit', 'add', '--workspace', id, '--amount', '5', '--json'])
    expect(json).toMatchObject({ balance_usd: '5.00' })
  })

  test('with --json a mistake is an error body on standard error', async () => {
    const { code, out, err } = await run(['workspace', 'show', 'ws_nobody', '--json'])
    expect([code, out]).toEqual([1, ''])
    expect(JSON.parse(err)).toEqual({
      error: {
        code: 'not_found',
        message: 'There is no workspace "ws_nobody".',
        type: 'invalid_request_error',
        param: null,
      },
    })
  })
})

describe('failures', () => {
  test('a remote that is not there is named, without a stack trace', async () => {
    const gone = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('') })
    const url = gone.url.href
    await gone.stop(true)
    const { code, err } = await run(['workspace', 'list', '--url', url, '--admin-token', 't'])
    expect(code).toBe(1)
    expect(err).toStartWith(`tollgate: cannot reach ${new URL(url).origin}: `)
    expect(err.trim().split('\n').length).toBe(1)
  })

  test('a remote that is something else is said to be no admin API, and never gets the token by a redirect', async () => {
    const seen: (string | null)[] = []
    const trap = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: (request) => {
        seen.push(request.headers.get('authorization'))
        return new Response('hello')
      },
    })
    const redirecting = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => Response.redirect(trap.url.href, 307),
    })
    for (const { url } of [redirecting, trap]) {
      const { code, err } = await run(['workspace', 'list', '--url', url.href, '--admin-token', 't'])
      expect(code).toBe(1)
      expect(err).toContain('not a response of the admin API')
    }
    expect(seen).toEqual(['Bearer t'])
    await trap.stop(true)
    await redirecting.stop(true)
  })

  test('a remote whose list never ends is left', async () => {
    const page = await world.ask('GET', '/api/v1/admin/workspaces?limit=1')
    const circling = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => Response.json({ ...page, next_cursor: 'again' }),
    })
    const { code, err } = await run([
      'workspace',
      'list',
      '--all',
      '--url',
      circling.url.href,
      '--admin-token',
      't',
    ])
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('the list does not end') })
    await circling.stop(true)
  })

  test('the database is let go of after every command, also after one that fails', async () => {
    let open = 0
    const counting: Partial<CliDeps> = {
      openStore: async (database) => {
        const store = await openStore(database, { now: world.deps.clock })
        open++
        return { ...store, close: () => store.close().then(() => void open--) }
      },
    }
    for (const argv of [
      ['workspace', 'list'],
      ['workspace', 'show', 'ws_nobody'],
      ['ledger', 'verify'],
      ['migrate'],
    ]) {
      await run(argv, { deps: counting })
      expect([argv, open]).toEqual([argv, 0])
    }
  })

  test('a wrong admin token is exit code 1', async () => {
    const { code, err } = await run(['workspace', 'list', '--url', server.url.href, '--admin-token', 'wrong'])
    expect([code, err]).toEqual([1, 'tollgate: The admin token is not valid: unknown or revoked.\n'])
  })

  test('a database that cannot be opened is a sentence', async () => {
    const { code, err } = await run([
      'workspace',
      'list',
      '--database-url',
      'sqlite:/proc/nowhere/tollgate.db',
    ])
    expect(code).toBe(1)
    expect(err).toStartWith('tollgate: the database cannot be used: ')
    expect(err).not.toContain('    at ')
  })

  test('an admin token from a mounted file is trimmed, and one that no header carries is named, not shown', async () => {
    const url = server.url.href
    const listed = await run([
      'workspace',
      'list',
      '--limit',
      '100',
      '--url',
      url,
      '--admin-token',
      `${ADMIN_TOKEN}\n`,
    ])
    expect([listed.code, listed.err]).toEqual([0, ''])
    const odd = await run(['workspace', 'list', '--url', url, '--admin-token', 'hunter2 hunter2'])
    expect(odd.code).toBe(2)
    expect(odd.err).toContain('the admin token contains a blank')
    expect(odd.err).not.toContain('hunter2')
  })

  test('a broken configuration stops data commands with its mistakes', async () => {
    const path = join(directory, 'bad.yaml')
    writeFileSync(path, 'server: [\n')
    const { code, err } = await run(['workspace', 'list', '--config', path])
    expect(code).toBe(1)
    expect(err).toContain(`${path}:1:`)
  })
})

function createForeign(path: string): void {
  const db = new Database(path)
  db.run('create table theirs (id text)')
  db.close()
}

describe('a database that is not there', () => {
  const GIVEN: Record<string, string> = {
    name: 'n',
    amount: '1',
    workspace: 'ws_01K8XJ5M7QZ3V9T4B6N2C1D0FG',
    key: 'key_01K8XJ5M7QZ3V9T4B6N2C1D0FG',
    request: 'chatcmpl-01K8XJ5M7QZ3V9T4B6N2C1D0FG',
    token: 'token_01K8XJ5M7QZ3V9T4B6N2C1D0FG',
  }
  const CREATES = new Set(
    'migrate,workspace create,workspace update,key create,key update,key rotate,key revoke,credit add,credit adjust,token create,token revoke'.split(
      ',',
    ),
  )
  /** Their own words are told in `safekeeping.test.ts`. */
  const SAFEKEEPING = new Set(['backup', 'restore'])
  const WITHOUT = new Set([
    'serve',
    'check',
    'version',
    'health',
    'connect',
    'models',
    'providers test',
    'providers release',
    'providers',
    // Its own words are in `test/contract/moves.test.ts`.
    'move',
  ])

  function argumentsOf({ name, positionals }: (typeof COMMANDS)[number]): string[] {
    const given = positionals
      .filter(({ required }) => required)
      .map((positional) => GIVEN[positional.name] ?? 'x')
    return [...name.split(' '), ...given, ...(name.endsWith(' update') ? ['--name', 'n'] : [])]
  }

  for (const command of COMMANDS) {
    const creates = CREATES.has(command.name)
    test(`${command.name} ${creates ? 'creates it' : 'does not create it, nor its folder'}`, async () => {
      const folder = join(directory, `absent-${command.name.replace(' ', '-')}`)
      const path = join(folder, 'books.db')
      const url = command.options['database-url'] ? ['--database-url', `sqlite:${path}`] : []
      const { code, err } = await run([...argumentsOf(command), ...url])
      expect(existsSync(folder)).toBe(creates)
      if (creates || WITHOUT.has(command.name)) return
      expect(code).toBe(1)
      if (SAFEKEEPING.has(command.name)) return
      expect(err).toBe(
        `tollgate: the database cannot be used: there is no file ${path}, and commands that read do not create one: "tollgate serve" and "tollgate migrate" do; --config or --database-url names another\n`,
      )
    })
  }

  test.each([
    ['an empty file', (path: string) => writeFileSync(path, ''), 'it holds no tables of tollgate'],
    ['the database of another program', createForeign, 'the file is the database of another program'],
    ['a file of something else', (path: string) => writeFileSync(path, 'x'.repeat(5_000)), 'not a database'],
  ])('%s is named by who reads, and stays as it is', async (_, write, message) => {
    const path = join(mkdtempSync(join(directory, 'foreign-')), 'books.db')
    write(path)
    const before = readFileSync(path)
    const { code, err } = await run(['workspace', 'list', '--database-url', `sqlite:${path}`])
    expect(code).toBe(1)
    expect(err).toContain(message)
    expect(readFileSync(path).equals(before)).toBe(true)
  })
})

describe('the memory of a running gateway', () => {
  const UNTIL = NOON + 10_000
  const far = (...argv: string[]) => run(argv, { env: remote() })

  test('is shown: the providers, and what is not used, for whom, why and until when', async () => {
    const { id } = await newWorkspace()
    acme.blocks = [openCircuit(id, UNTIL), parkedKey(UNTIL)]
    const { code, out } = await far('providers')
    expect(code).toBe(0)
    expect(out).toMatch(/^acme +degraded +chat-1 +open for some +7 +5 /m)
    expect(out).toMatch(/^Not used of acme:$/m)
    expect(out).toMatch(/^credential +acme#1 +all +everyone +credential +2026-11-20 12:00:10Z$/m)
    expect(out).toMatch(new RegExp(`^circuit +– +chat-1 +${id} +server +2026-11-20 12:00:10Z$`, 'm'))
    expect((await far('providers', 'acme', '--json')).json.data).toHaveLength(1)
    const unknown = await far('providers', 'tset')
    expect([unknown.code, unknown.err]).toEqual([
      2,
      'tollgate: there is no provider "tset"; configured: acme\nSee "tollgate help".\n',
    ])
  })

  test('is released: of a workspace, of a target, of everything; a second time there is nothing', async () => {
    const { id } = await newWorkspace()
    acme.blocks = [openCircuit(id, UNTIL), openCircuit('everyone', UNTIL), parkedKey(UNTIL)]
    const one = await far('providers', 'release', 'acme', '--workspace', id)
    expect(one).toMatchObject({ code: 0, err: `Changed ${server.url.origin}.\n` })
    expect(one.out).toMatch(new RegExp(`^Used again:\\nWHAT[^\\n]*\\ncircuit[^\\n]*${id}`))
    expect(acme.blocks.map(({ scope }) => scope)).toEqual(['everyone', 'everyone'])
    await far('providers', 'release', 'acme', '--target', 'chat-1')
    expect(acme.blocks.map(({ what }) => what)).toEqual(['credential'])
    expect((await far('providers', 'release', 'acme', '--json')).json.released).toHaveLength(1)
    expect(await far('providers', 'release', 'acme')).toMatchObject({
      code: 0,
      out: 'Nothing of acme was blocked.\n',
      err: `Nothing to change in ${server.url.origin}.\n`,
    })
    const [entry] = (await far('audit', '--action', 'provider.release', '--json')).json.data
    expect(entry).toMatchObject({ subject: 'acme', actor: { kind: 'configuration' } })
  })

  test('a name in the place of what it takes is explained', async () => {
    const target = await far('providers', 'release', 'acme', '--target', 'chat-9')
    expect([target.code, target.err]).toEqual([
      2,
      'tollgate: --target: the provider has no target "chat-9" here; there are: chat-1.\n',
    ])
    const { id } = (await run(['workspace', 'create', 'Violet', '--json'])).json
    const named = await far('providers', 'release', 'acme', '--workspace', 'Violet')
    expect([named.code, named.err]).toEqual([
      1,
      `tollgate: "Violet" is not an id. The workspace named "Violet" is ${id}: tollgate providers release acme --workspace ${id}\n`,
    ])
    expect((await far('providers', 'release', 'acmee')).err).toBe('tollgate: There is no provider "acmee".\n')
  })

  test.each([[['providers']], [['providers', 'release', 'acme']]])(
    'is not in the database: %p says that it asks the running gateway',
    async (argv) => {
      const { code, err } = await run(argv)
      expect(code).toBe(2)
      expect(err).toContain('this command asks the running gateway')
      expect(err).toContain('--url or TOLLGATE_URL')
      expect(err).toContain('--admin-token or TOLLGATE_ADMIN_TOKEN')
    },
  )
})

test('the installed command runs', async () => {
  const { code, out, err } = await spawned([PROGRAM, 'workspace', 'create', 'Team', '--json'])
  expect([code, err]).toEqual([0, ''])
  expect(JSON.parse(out)).toMatchObject({ name: 'Team' })
})

test('a reader that leaves early ends the command quietly', async () => {
  const module = new URL('processIo.ts', import.meta.url).pathname
  const writeForEver = `
    const { processIo } = await import(${JSON.stringify(module)})
    const io = processIo()
    try {
      for (let i = 0; i < 20_000; i++) io.out('line\\n'.repeat(1000))
      io.err('nobody noticed')
    } catch (error) {
      if (!error.readerLeft) throw error
    }`
  const { code, out, err } = await spawned([
    'sh',
    '-c',
    '"$0" -e "$1" | head -c 4',
    process.execPath,
    writeForEver,
  ])
  expect({ code, out, err }).toEqual({ code: 0, out: 'line', err: '' })
})

async function spawned(command: string[]): Promise<{ code: number; out: string; err: string }> {
  const path = join(directory, 'spawned.db')
  const child = Bun.spawn(command, {
    cwd: directory,
    env: { PATH: process.env.PATH, TOLLGATE_DATABASE_URL: `sqlite:${path}` },
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, out, err }
}

describe('help', () => {
  test.each(COMMANDS.map((command) => [command.name, command] as const))(
    '%s explains itself: options, arguments, examples',
    async (name, command) => {
      for (const argv of [
        ['help', ...name.split(' ')],
        [...name.split(' '), '--help'],
        [...name.split(' '), '-h'],
      ]) {
        const { code, out, err } = await run(argv)
        expect([code, err]).toEqual([0, ''])
        expect(out).toContain(`tollgate ${name}: ${command.summary}`)
        for (const option of Object.keys(command.options)) expect(out).toContain(`--${option}`)
        for (const example of command.examples) expect(example).toStartWith(`tollgate ${name}`)
        expect(out).toContain(command.examples[0] ?? 'an example')
      }
    },
  )

  test('the overview names every command', async () => {
    for (const argv of [[], ['help'], ['--help'], ['-h']]) {
      const { code, out } = await run(argv)
      expect(code).toBe(0)
      for (const { name } of COMMANDS) expect(out).toContain(`  ${name} `)
    }
  })

  test('a family without a verb lists its verbs', async () => {
    const { code, out, err } = await run(['key'])
    expect([code, out]).toEqual([2, ''])
    for (const verb of ['create', 'list', 'update', 'rotate', 'revoke']) expect(err).toContain(`key ${verb}`)
  })

  test.each([['help key'], ['key --help'], ['key -h']])('%s lists the commands on keys', async (line) => {
    const { code, out, err } = await run(line.split(' '))
    expect([code, err]).toEqual([0, ''])
    for (const verb of ['create', 'list', 'show', 'update', 'rotate', 'revoke'])
      expect(out).toContain(`key ${verb}`)
    expect(out).not.toContain('workspace create')
  })

  test('of an unknown group or command is a mistake that suggests one', async () => {
    const { code, err } = await run(['help', 'keys'])
    expect(code).toBe(2)
    expect(err).toContain('there is no command "keys"')
    expect((await run(['help', 'key', 'creat'])).err).toContain('did you mean "key create"?')
  })

  test.each([['help --json'], ['--help --json'], ['--json --help'], ['--json'], ['help --json key']])(
    '%s describes commands as JSON',
    async (line) => {
      const { code, json } = await run(line.split(' '))
      expect(code).toBe(0)
      const names = json.commands.map(({ name }: { name: string }) => name)
      const asked = line.endsWith('key') ? COMMANDS.filter(({ name }) => name.startsWith('key ')) : COMMANDS
      expect(names).toEqual(asked.map(({ name }) => name))
    },
  )

  test.each([['help key create --json'], ['key create --help --json'], ['key create --json -h']])(
    '%s describes the command as JSON',
    async (line) => {
      const { code, json } = await run(line.split(' '))
      expect(code).toBe(0)
      expect(json).toMatchObject({
        name: 'key create',
        summary: 'create a key and show its secret once',
        usage: 'tollgate key create WORKSPACE [NAME] [OPTIONS]',
        arguments: [
          { name: 'workspace', required: true },
          { name: 'name', required: false },
        ],
      })
      expect(json.options).toContainEqual({
        name: 'json',
        value: null,
        help: 'write JSON instead of a table',
      })
      expect(json.options).toContainEqual(expect.objectContaining({ name: 'expires-at', value: 'TIME' }))
      expect(json.examples[0]).toStartWith('tollgate key create')
    },
  )

  test('the version is told', async () => {
    expect((await run(['version'])).out).toBe('tollgate 1.2.3\n')
    expect((await run(['--version'])).out).toBe('tollgate 1.2.3\n')
    expect((await run(['version', '--json'])).json).toEqual({ version: '1.2.3', commit: null })
  })
})
