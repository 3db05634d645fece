import { expect, test } from 'bun:test'
import { ERRORS, type ErrorCode } from '../../src/core/error.ts'
import type { AdmissionVerdict } from '../../src/core/ports/till.ts'
import type { OpenApiDocument } from '../../src/http/openapi.ts'
import { withErrorTable } from '../../scripts/errorTable.ts'
import { errorOf } from '../support/readAnswer.ts'
import { openaiError } from '../support/scriptedProvider.ts'
import { type World, type WorldOptions, startWorld } from '../support/world.ts'
import { differences, readPage, tableOf } from './page.ts'

const LIST = readPage('docs/errors/README.md')
const CODES = Object.keys(ERRORS) as ErrorCode[]

/** Those of an admission may wait for other calls alone; then they have `Retry-After`. */
const UNPAID: Readonly<Record<Exclude<AdmissionVerdict['kind'], 'admitted' | 'rate_limited'>, true>> = {
  insufficient_balance: true,
  spend_limit_exceeded: true,
}

function retryOf(code: ErrorCode): string {
  if (ERRORS[code].retryable) return 'Yes'
  return code in UNPAID ? 'Only with Retry-After' : 'No'
}

test('docs/errors/README.md has every error, in the words of its page', () => {
  const { text } = LIST
  if (withErrorTable(text) !== text)
    throw new Error('docs/errors/README.md is not up to date: bin/bun run scripts/updateErrorTable.ts')
})

test.each(CODES)('docs/errors/%s.md has its status, its type and whether a retry helps', (code) => {
  const { status, type } = ERRORS[code]
  const fact = { key: [String(status)], cells: [`\`${type}\``, retryOf(code), undefined] }
  expect(differences(readPage(`docs/errors/${code}.md`), code, [fact])).toEqual([])
})

/** The endpoints of this path whose description does not have the error; none where the path has no description. */
async function undescribed(world: World, { url, status }: Response, code: string): Promise<string[]> {
  if (code === 'method_not_allowed') return []
  const { paths } = (await (await fetch(`${world.url}/openapi.json`)).json()) as OpenApiDocument
  const { pathname } = new URL(url)
  return Object.entries(paths[pathname] ?? {})
    .filter(([method]) => method !== 'options')
    .filter(([, { responses }]) => !responses[status]?.description.includes(`\`${code}\``))
    .map(([method]) => `${method} ${pathname}: name ${code} in its refusals (src/http/dataPlane/)`)
}

interface Scene {
  readonly options?: WorldOptions
  /** What is asked before, and counted by itself. */
  readonly before?: (world: World) => Promise<Response>
  readonly ask: (world: World) => Promise<Response>
}

const KEY = { 'idempotency-key': 'order-1' }

/** How each error comes about; the admin API counts nothing, so what is its own is not here. */
const SCENES: Readonly<Record<Exclude<ErrorCode, 'already_rotated' | 'internal_error'>, Scene>> = {
  missing_api_key: { ask: (world) => world.request('GET', '/v1/models', undefined, { authorization: '' }) },
  invalid_api_key: {
    ask: (world) => world.request('GET', '/v1/models', undefined, { authorization: 'Bearer tg_0' }),
  },
  invalid_request: { ask: (world) => world.chat({ n: 0 }) },
  previous_response_not_found: {
    ask: (world) =>
      world.request('POST', '/v1/responses', {
        model: 'acme/chat-1',
        input: 'And?',
        previous_response_id: 'resp_none',
      }),
  },
  model_not_found: { ask: (world) => world.chat({ model: 'acme/none' }) },
  not_found: { ask: (world) => world.request('GET', '/v1/none') },
  method_not_allowed: { ask: (world) => world.request('DELETE', '/v1/models') },
  upgrade_required: {
    ask: (world) =>
      world.request('GET', '/v1/models', undefined, { upgrade: 'websocket', connection: 'upgrade' }),
  },
  request_too_large: {
    options: { config: () => ({ server: { max_body_bytes: 1_024 } }) },
    ask: (world) => world.chat({ user: 'a'.repeat(2_048) }),
  },
  model_not_accessible: { options: { key: { models: [] } }, ask: (world) => world.chat() },
  insufficient_balance: { options: { balance: '0' }, ask: (world) => world.chat() },
  spend_limit_exceeded: { options: { key: { monthly_spend_usd: '0' } }, ask: (world) => world.chat() },
  idempotency_conflict: {
    before: (world) => world.chat({ max_tokens: 20 }, KEY),
    ask: (world) => world.chat({ max_tokens: 21 }, KEY),
  },
  rate_limit_exceeded: {
    options: { key: { requests_per_minute: 1 } },
    before: (world) => world.request('GET', '/v1/models'),
    ask: (world) => world.request('GET', '/v1/models'),
  },
  upstream_error: { options: { provider: openaiError(500) }, ask: (world) => world.chat() },
  service_unavailable: { options: { provider: openaiError(503) }, ask: (world) => world.chat() },
}

/** `Sometimes` is counted in the scene above. */
test.each(Object.entries(SCENES))(
  'docs/errors/README.md tells whether %s is counted, and the endpoint is described with it',
  async (code, { options, before, ask }) => {
    await using world = await startWorld(options)
    const used = async () => (await world.operations.key(world.keyId)).used.requests_this_minute
    await (await before?.(world))?.text()
    const usedBefore = await used()
    const answer = await ask(world)
    const error = await errorOf(answer)
    expect(error.code).toBe(code)
    expect(await undescribed(world, answer, code)).toEqual([])
    const counted = (await used()) > usedBefore
    const told = tableOf(LIST, 'Errors').find(({ cells }) => cells[0]?.startsWith(`[${code}]`))?.cells[4]
    expect({ code, told: told === 'Sometimes' ? 'Yes' : told }).toEqual({
      code,
      told: counted ? 'Yes' : 'No',
    })
  },
)
