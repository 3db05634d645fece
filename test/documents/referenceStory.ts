import { DATA_PLANE_ENDPOINTS } from '../../src/http/dataPlane/endpoints.ts'
import { isJsonObject, type Json, type JsonObject } from '../../src/core/json.ts'
import { CHAT_EXAMPLES } from '../../src/http/docs/chatExamples.ts'
import type { AnswerExamples } from '../../src/http/docs/answerExamples.ts'
import type { OpenApiDocument, OpenApiOperation } from '../../src/http/openapi.ts'
import { respond } from '../support/scriptedProvider.ts'
import { type World, standardModel, startWorld } from '../support/world.ts'

/** When everything happens; the world's own workspace is a day older. */
const NOW = '2026-11-20T12:00:00Z'
const DAY_BEFORE = '2026-11-19T12:00:00Z'
/** So many entries of a list are shown. */
const ENTRIES_SHOWN_MAX = 2
const TOKEN = 'tga-of-the-reference-test'
/** What stands in an id of the reference behind its prefix. */
const EXAMPLE = '01K8XJ5M7QZ3V9T4B6N2C1D0FG'

/** A gateway, its reference, and a shell to paste the samples of the reference into. */
export interface Reference extends AsyncDisposable {
  readonly world: World
  readonly document: OpenApiDocument
  /** Each curl line of an operation as it stands on the page. */
  samplesOf(operationId: string): string[]
  /** Runs a sample as it would be pasted, with other ids and with its headers shown. */
  paste(sample: string, given?: Given): Promise<Answer>
}

interface Given {
  /** What the reader has put in place of the example ids. */
  readonly ids?: Readonly<Record<string, string>>
  /** The API key; default: that of the world. */
  readonly key?: string
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export async function openReference(): Promise<Reference> {
  const world = await startWorld({
    config: () => ({
      server: { admin_token: TOKEN },
      models: [standardModel({ created: '2026-01-15' })],
    }),
    workspace: { name: 'Team Green', type: 'organization', requests_per_minute: 1000 },
    key: { name: 'Ben' },
    at: DAY_BEFORE,
  })
  world.clock.set(NOW)
  const document = (await (await fetch(`${world.url}/openapi.json`)).json()) as OpenApiDocument
  const page = await (await fetch(`${world.url}/docs`)).text()

  return {
    world,
    document,
    samplesOf(operationId) {
      const [, after = ''] = page.split(`<article id="${operationId}"`)
      const [article = ''] = after.split('</article>')
      const blocks = [...article.matchAll(/<pre[^>]*><code>(curl [\s\S]*?)<\/code><\/pre>/g)]
      return blocks.map(([, text = '']) =>
        text
          .replaceAll('&quot;', '"')
          .replaceAll('&#39;', "'")
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&amp;', '&'),
      )
    },
    async paste(sample, { ids = {}, key = world.secret } = {}) {
      let command = sample.replace(/^curl /, 'curl -sS -i ')
      for (const [example, id] of Object.entries(ids)) command = command.replaceAll(example, id)
      const process = Bun.spawn(['sh', '-c', command], {
        env: { ...Bun.env, TOLLGATE: world.url, KEY: key, TOKEN },
        stderr: 'pipe',
      })
      const [output, mistakes] = await Promise.all([
        new Response(process.stdout).text(),
        new Response(process.stderr).text(),
      ])
      if (mistakes !== '') throw new Error(`${sample}\n${mistakes}`)
      const end = output.indexOf('\r\n\r\n')
      const [first = '', ...lines] = output.slice(0, end).split('\r\n')
      const headers = new Headers(
        lines.map((line): [string, string] => [
          line.slice(0, line.indexOf(':')),
          line.slice(line.indexOf(':') + 1),
        ]),
      )
      return { status: Number(first.split(' ')[1]), headers, text: output.slice(end + 4) }
    },
    [Symbol.asyncDispose]: () => world.stop(),
  }
}

/** A sample that was pasted. */
export interface Pasted extends Answer {
  readonly method: string
  readonly path: string
  readonly operation: OpenApiOperation
  /** The name of its answer among those of the operation. */
  readonly name: string
}

/** Pastes every sample but those of chat completions, in an order that makes sense: a new team, its key, a call, what is seen of it. */
export async function tellStory({ world, document, samplesOf, paste }: Reference): Promise<{
  readonly pasted: readonly Pasted[]
  /** The answers as the reference shows them. */
  readonly examples: AnswerExamples
}> {
  const ids: Record<string, string> = {}
  const pasted: Pasted[] = []
  let key = world.secret

  async function run(method: string, path: string, remember?: string, name = 'answer'): Promise<JsonObject> {
    const operation = document.paths[path]?.[method]
    if (operation === undefined) throw new Error(`the document has no ${method} ${path}`)
    const [sample = ''] = samplesOf(operation.operationId)
    const answer = await paste(sample, { ids, key })
    pasted.push({ ...answer, method, path, operation, name })
    if (!isJson(answer)) return {}
    const body = JSON.parse(answer.text) as JsonObject
    const [first = body] = Array.isArray(body['data']) ? (body['data'] as JsonObject[]) : [body]
    if (remember !== undefined) ids[`${remember}_${EXAMPLE}`] = first['id'] as string
    return body
  }
  /** @returns the id of the call */
  async function call(body: JsonObject): Promise<string> {
    const headers = { authorization: `Bearer ${key}` }
    const response = await world.request('POST', '/v1/chat/completions', body, headers)
    await response.text()
    await world.settled()
    return response.headers.get('x-request-id') ?? ''
  }

  const admin = '/api/v1/admin'
  await run('post', `${admin}/workspaces`, 'ws')
  await run('post', `${admin}/workspaces/{id}/credits`)
  key = (await run('post', `${admin}/workspaces/{id}/keys`, 'key'))['key'] as string
  const [{ request, response }] = CHAT_EXAMPLES as [(typeof CHAT_EXAMPLES)[number]]
  world.provider.play(respond({ body: { ...(response as JsonObject), model: 'upstream-chat-1' } }))
  ids[`chatcmpl-${EXAMPLE}`] = await call({ ...request, user: 'user-17' })

  await run('post', '/v1/messages')
  await run('post', '/v1/messages/count_tokens')
  await run('post', '/v1/responses', 'resp')
  await run('post', '/v1/responses/input_tokens')
  for (const { method, path } of DATA_PLANE_ENDPOINTS) if (method === 'GET') await run('get', path)
  await run('delete', '/v1/responses/{response_id}')
  await run('get', '/api/v1/public/models')
  await run('options', '/api/v1/public/models')
  await run('post', `${admin}/tokens`, 'token')
  for (const path of [
    '/workspaces',
    '/workspaces/{id}',
    '/workspaces/{id}/keys',
    '/workspaces/{id}/ledger',
    '/keys/{id}',
    '/tokens',
    '/usage',
    '/requests',
  ])
    await run('get', admin + path)
  await run('get', `${admin}/requests/{id}`, undefined, 'receipt')
  const completion = ids[`chatcmpl-${EXAMPLE}`] ?? ''
  ids[`chatcmpl-${EXAMPLE}`] = await call({ ...request, model: 'acme/chat-9' })
  await untilKept(world, ids[`chatcmpl-${EXAMPLE}`] ?? '')
  await run('get', `${admin}/requests/{id}`, undefined, 'refused')
  await run('get', `${admin}/models`)
  await run('get', `${admin}/providers`)
  await run('post', `${admin}/providers/{id}/release`)
  await run('get', `${admin}/audit`, 'audit')
  await run('get', `${admin}/audit/{id}`)
  await run('patch', `${admin}/workspaces/{id}`)
  await run('patch', `${admin}/keys/{id}`)
  await run('post', `${admin}/keys/{id}/rotate`)
  await run('delete', `${admin}/keys/{id}`)
  await run('delete', `${admin}/tokens/{id}`)
  for (const path of ['/healthz', '/readyz', '/metrics', '/api/hello']) await run('get', path)

  const shown = Object.fromEntries(Object.entries(ids).map(([example, id]) => [id, example]))
  shown[completion] = `chatcmpl-${EXAMPLE}`
  shown[world.provider.baseUrl] = 'https://api.acme.example/v1'
  const tidy = createTidier(shown)
  const examples: Record<string, Record<string, Json>> = {}
  for (const { operation, name, ...answer } of pasted) {
    if (!isJson(answer)) continue
    const named = (examples[operation.operationId] ??= {})
    named[name] = tidy(JSON.parse(answer.text) as Json)
  }
  return { pasted, examples }
}

/** Refused calls are kept beside the call, within about a second. */
async function untilKept(world: World, id: string): Promise<void> {
  const headers = { authorization: `Bearer ${TOKEN}` }
  const path = `/api/v1/admin/requests/${id}`
  while ((await world.request('GET', path, undefined, headers)).status !== 200) await Bun.sleep(20)
}

export function isJson({ headers, text }: Answer): boolean {
  return text !== '' && headers.get('content-type')?.startsWith('application/json') === true
}

const ID = /^(?:[a-z]+_|chatcmpl-)[0-9A-HJKMNP-TV-Z]{26}$/
/** Ids of an answer's items end with their place. */
const PLACE = /_\d+$/
const SECRET = /^(tga?_)[0-9A-Z]{20,}$/
const HINT = /^(tga?_)[0-9A-Z]{4}…$/
/** What the ids of one kind end with, in the order in which they are met; the first are those of the samples. */
const LAST_CHARACTERS = 'GHJKMNPQRSTVWXYZ'
/** Times that differ from run to run. */
const TIMES: Readonly<Record<string, number>> = {
  started_ms: 2,
  first_event_ms: 412,
  duration_ms: 415,
  p50: 412,
  p90: 412,
  p99: 412,
}

/**
 * Replaces what differs from run to run: ids, secrets, times, addresses.
 * @param shown what is shown instead of some texts
 */
function createTidier(shown: Readonly<Record<string, string>>): (value: Json) => Json {
  const known = new Map(Object.entries(shown))
  const counts = new Map<string, number>()

  function idFor(text: string): string {
    const prefix = text.slice(0, -EXAMPLE.length)
    const isTaken = [...known.values()].includes(prefix + EXAMPLE)
    const count = counts.get(prefix) ?? (isTaken ? 1 : 0)
    counts.set(prefix, count + 1)
    return prefix + EXAMPLE.slice(0, -1) + (LAST_CHARACTERS[count] ?? '0')
  }

  function text(value: string): string {
    if (value === '127.0.0.1') return '203.0.113.7'
    const secret = SECRET.exec(value) ?? HINT.exec(value)
    if (secret) return `${secret[1]}AB12…`
    const [place = ''] = PLACE.exec(value) ?? []
    const id = value.slice(0, value.length - place.length)
    if (!known.has(id) && ID.test(id)) known.set(id, idFor(id))
    return known.has(id) ? `${known.get(id)}${place}` : value
  }

  function tidy(value: Json, name = ''): Json {
    if (typeof value === 'string') return text(value)
    if (typeof value === 'number') return TIMES[name] ?? value
    if (Array.isArray(value))
      return (name === 'data' ? value.slice(0, ENTRIES_SHOWN_MAX) : value).map((part) => tidy(part))
    if (!isJsonObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([field, part = null]) => [field, tidy(part, field)]))
  }
  return (value) => tidy(value)
}
