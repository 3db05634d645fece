import { SQL } from 'bun'
import { mkdtempSync, openSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'bun:test'
import { mustSkip, sharedPostgres } from '../support/postgres.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { MESSAGES, MODEL, standardConfig, startWorld, type World } from '../support/world.ts'

const TOKEN = 'Corr/ct-Horse+Battery=Staple-9876543'
const METRICS_TOKEN = 'Metr/cs-Token+Of=The-Machine-1234567'
/** As `standardConfig` has it. */
const PROVIDER_KEY = 'provider-secret'
/** Parts of the tokens, also of one that a cut or an address has left. */
const PARTS = [
  PROVIDER_KEY,
  ...[TOKEN, METRICS_TOKEN].flatMap((token) => [token.slice(0, 8), token.slice(-8)]),
]
/** Copied from a page that breaks long words. */
const BROKEN = ['\u200b', '\ufeff', '\u00ad'].map((breaks) => TOKEN.slice(0, 14) + breaks + TOKEN.slice(14))
/** Where messages and rows are cut. */
const CUTS = [200, 256, 512, 1_000, 2_000]

/** A caller sends the operator's token, or texts in which a cut goes through it, in every place that is kept or shown. */
async function sendEverywhere(world: World): Promise<void> {
  const texts = [
    ...BROKEN,
    TOKEN,
    METRICS_TOKEN,
    ...CUTS.flatMap((cut) => [1, 9, 20].map((part) => 'x'.repeat(Math.max(0, cut - part)) + TOKEN)),
  ]
  for (const text of texts) {
    await (await world.chat({ model: text })).text()
    await (await world.chat({ user: text.slice(-500) })).text()
    await (await world.chat({ model: MODEL, messages: [{ role: text, content: 'a' }] })).text()
    await (await world.chat({ [text]: 1, temperature: text })).text()
    for (const path of [
      `/v1/${text}`,
      `/v1/${encodeURIComponent(text)}`,
      `/v1/models/${text}`,
      `/v1/generation?id=${text}`,
    ])
      await (await world.request('GET', path)).text()
  }
  await (await world.chat({ messages: MESSAGES, user: `a ${TOKEN} b` })).text()
}

/** An operator types a configured token or a provider's key where a name or a note belongs. */
async function nameByTokens(world: World): Promise<void> {
  const places: readonly (readonly [string, string, object])[] = [
    ['POST', 'workspaces', { type: 'personal' }],
    ['PATCH', `workspaces/${world.workspaceId}`, {}],
    ['POST', `workspaces/${world.workspaceId}/keys`, {}],
    ['PATCH', `keys/${world.keyId}`, {}],
    ['POST', 'tokens', {}],
    ['POST', `workspaces/${world.workspaceId}/credits`, { amount_usd: '1' }],
  ]
  for (const secret of [TOKEN, METRICS_TOKEN, PROVIDER_KEY]) {
    for (const [method, path, body] of places) {
      const field = path.endsWith('credits') ? 'note' : 'name'
      const response = await world.request(
        method,
        `/api/v1/admin/${path}`,
        { ...body, [field]: `for ${secret}` },
        { authorization: `Bearer ${TOKEN}` },
      )
      const text = await response.text()
      expect([response.status, text]).toEqual([400, expect.stringContaining(`${field}: must not hold`)])
      expect(PARTS.filter((part) => text.includes(part))).toEqual([])
    }
  }
}

async function shownOf(world: World): Promise<string> {
  const { operations } = world
  const shown: unknown[] = [await operations.audit({ limit: '100' })]
  for (const query of [{}, { failed: 'true' }]) {
    const { data } = await operations.requests({ ...query, limit: '100' })
    shown.push(data)
  }
  return JSON.stringify(shown)
}

const skipsPostgres = mustSkip('tokens that callers send, on Postgres')

test.each([
  ['SQLite', false],
  ['Postgres', true],
] as const)(
  "the operator's token is hidden in all that is kept of callers' words on %s",
  async (_engine, onPostgres) => {
    if (onPostgres && skipsPostgres) return
    const databaseUrl = onPostgres ? await (await sharedPostgres()).createDatabase() : undefined
    const logFile = join(mkdtempSync(join(tmpdir(), 'tollgate-veiled-')), 'log')
    const world = await startWorld({
      ...(databaseUrl !== undefined && { databaseUrl }),
      workspace: { requests_per_minute: 10_000 },
      config: (provider) => ({
        ...standardConfig(provider),
        server: { admin_token: TOKEN, metrics_token: METRICS_TOKEN },
      }),
      log: { level: 'debug', descriptor: openSync(logFile, 'w') },
    })
    await sendEverywhere(world)
    await nameByTokens(world)
    await world.settled()
    // Refused calls are stored within about a second.
    while (!(await shownOf(world)).includes('[redacted]')) await Bun.sleep(20)
    const shown = await shownOf(world)
    await world.gateway.stop()
    const kept = databaseUrl === undefined ? filesOf(world) : await rowsOf(databaseUrl)
    for (const text of [shown, readFileSync(logFile, 'utf8'), kept])
      expect(PARTS.filter((part) => text.includes(part))).toEqual([])
    expect(kept).toContain('[redacted]')
    world.provider.stop()
  },
  TEST_LIMIT_MS,
)

function filesOf({ settings: { database } }: World): string {
  if (database.engine !== 'sqlite') throw new Error('expected a file')
  return readFileSync(database.path).toString('latin1')
}

async function rowsOf(url: string): Promise<string> {
  await using sql = new SQL(url, { max: 1 })
  const tables: { name: string }[] =
    await sql`select tablename as name from pg_tables where schemaname = 'public'`
  const rows = await Promise.all(
    tables.map(({ name }) => sql.unsafe(`select t.*::text as row from ${name} t`)),
  )
  return JSON.stringify(rows)
}
