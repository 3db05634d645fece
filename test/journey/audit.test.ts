import { expect, test } from 'bun:test'
import { checkedFetch } from '../support/checkedFetch.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { ADMIN_TOKEN, type GatewayProcess, startProcessWorld } from '../support/processWorld.ts'

interface Entry {
  readonly action: string
  readonly actor: { readonly kind: string; readonly name: string | null }
  readonly address: string | null
  readonly subject: string | null
  readonly count: number
}

async function admin(
  process: GatewayProcess,
  token: string,
  method: string,
  path: string,
  { body, from }: { body?: object; from?: string } = {},
): Promise<Response> {
  return checkedFetch(`${process.url}/api/v1/admin${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(from !== undefined && { 'x-forwarded-for': from }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
}

/** Lines of the log with this sentence. */
function linesOf(process: GatewayProcess, sentence: string): Record<string, unknown>[] {
  const lines = process.log().split('\n')
  return lines.filter((line) => line.includes(`"${sentence}"`)).map((line) => JSON.parse(line))
}

test(
  'an operator changes the admin token without an outage, and the audit log of all processes tells who did what, from where',
  async () => {
    await using world = await startProcessWorld({
      processes: 2,
      config: () => ({
        log: { level: 'info' },
        server: { host: '127.0.0.1', port: 0, admin_token: ADMIN_TOKEN, trusted_proxies: ['127.0.0.1'] },
      }),
    })
    const [here, there] = world.processes
    if (!here || !there) throw new Error('two processes were to start')

    // Beside the database, while both serve.
    const made = await world.command('token', 'create', 'deploy 1', '--json')
    const old = JSON.parse(made.output.slice(made.output.indexOf('{'))) as { id: string; token: string }
    expect((await admin(here, old.token, 'GET', '/workspaces')).status).toBe(200)
    const next = (await (
      await admin(there, old.token, 'POST', '/tokens', { body: { name: 'deploy 2' }, from: '203.0.113.7' })
    ).json()) as { id: string; token: string }
    const workspace = (await (
      await admin(here, next.token, 'POST', '/workspaces', { body: { name: 'Acme', type: 'personal' } })
    ).json()) as { id: string }
    expect((await admin(there, next.token, 'DELETE', `/tokens/${old.id}`)).status).toBe(200)
    // Revoked in another process, refused at once.
    expect((await admin(here, old.token, 'GET', '/workspaces')).status).toBe(401)
    const credited = admin(here, next.token, 'POST', `/workspaces/${workspace.id}/credits`, {
      body: { amount_usd: '5000' },
      from: '203.0.113.8',
    })
    expect((await credited).status).toBe(201)

    const guesses = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        admin(here, `guess-${i}`, 'GET', '/workspaces', { from: '198.51.100.9' }),
      ),
    )
    const statuses = guesses.map(({ status }) => status)
    expect([statuses.filter((status) => status === 401).length, new Set(statuses)]).toEqual([
      10,
      new Set([401, 429]),
    ])
    expect((await admin(here, next.token, 'GET', '/workspaces', { from: '203.0.113.8' })).status).toBe(200)

    here.terminate()
    expect(await here.exited).toBe(0)
    const { data } = (await (await admin(there, next.token, 'GET', '/audit')).json()) as { data: Entry[] }
    const told = data.map(({ action, actor, address, count }) => [
      action,
      actor.name ?? actor.kind,
      address,
      count,
    ])
    // The order of what came within one millisecond is not told.
    expect(told).toHaveLength(7)
    for (const line of [
      ['token.create', expect.any(String), expect.any(String), 1],
      ['token.create', 'deploy 1', '203.0.113.7', 1],
      ['workspace.create', 'deploy 2', '127.0.0.1', 1],
      ['token.revoke', 'deploy 2', '127.0.0.1', 1],
      ['token.refuse', 'deploy 1', '127.0.0.1', 1],
      ['workspace.credit', 'deploy 2', '203.0.113.8', 1],
      ['token.refuse', 'unknown', '198.51.100.9', 30],
    ])
      expect(told).toContainEqual(line)
    expect(data.find(({ actor }) => actor.kind === 'command_line')).toMatchObject({ subject: old.id })

    // One line for each change, and one for the wrong tokens of an address.
    expect(linesOf(here, 'an operator changed something').map(({ action }) => action)).toEqual([
      'workspace.create',
      'workspace.credit',
    ])
    const addresses = (message: string) => linesOf(here, message).map(({ address }) => address)
    expect(addresses('a wrong admin token')).toEqual(['198.51.100.9'])
    expect(addresses('a revoked admin token')).toEqual(['127.0.0.1'])
    expect(addresses('an admin token is in use')).toContain('203.0.113.8')
    for (const process of [here, there])
      for (const { token } of [old, next]) expect(process.log()).not.toContain(token)

    const shown = await world.command('audit', '--action', 'workspace.credit')
    expect(shown.output).toContain('amount_usd: 5000.00, balance_usd: 0.00 → 5000.00')
  },
  TEST_LIMIT_MS,
)
