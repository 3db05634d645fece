import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { isJsonObject, type Json, type JsonObject } from '../../src/core/json.ts'
import { CHAT_EXAMPLES, type ChatExample } from '../../src/http/docs/chatExamples.ts'
import type { OpenApiDocument, OpenApiResponse } from '../../src/http/openapi.ts'
import { type Act, openaiChunk, openaiUsageChunk, respond, streams } from '../support/scriptedProvider.ts'
import { stream } from '../support/scriptedActs.ts'
import { startWorld, type World } from '../support/world.ts'
import { expectDocumented } from './openApi.ts'

const TOKEN = 'tga-of-the-reference-test'

let world: World
let document: OpenApiDocument
let page: string

beforeAll(async () => {
  world = await startWorld({
    config: () => ({ server: { admin_token: TOKEN } }),
    workspace: { type: 'organization', requests_per_minute: 1000 },
  })
  document = (await (await fetch(`${world.url}/openapi.json`)).json()) as OpenApiDocument
  page = await (await fetch(`${world.url}/docs`)).text()
})
afterAll(() => world.stop())

/** Each curl line of an operation as it stands on the page. */
function samplesOf(operationId: string): string[] {
  const [, after = ''] = page.split(`<article id="${operationId}"`)
  const [article = ''] = after.split('</article>')
  const blocks = [...article.matchAll(/<pre><code>(curl [\s\S]*?)<\/code><\/pre>/g)]
  return blocks.map(([, text = '']) =>
    text
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&'),
  )
}

interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Runs a sample as it would be pasted, with other ids and with its headers shown. */
async function paste(sample: string, ids: Readonly<Record<string, string>> = {}): Promise<Answer> {
  let command = sample.replace(/^curl /, 'curl -sS -i ')
  for (const [example, id] of Object.entries(ids)) command = command.replaceAll(example, id)
  const process = Bun.spawn(['sh', '-c', command], {
    env: { ...Bun.env, TOLLGATE: world.url, KEY: world.secret, TOKEN },
    stderr: 'pipe',
  })
  const [output, mistakes] = await Promise.all([
    new Response(process.stdout).text(),
    new Response(process.stderr).text(),
  ])
  expect(mistakes).toBe('')
  const end = output.indexOf('\r\n\r\n')
  const [first = '', ...lines] = output.slice(0, end).split('\r\n')
  const headers = new Headers(
    lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(':')),
      line.slice(line.indexOf(':') + 1),
    ]),
  )
  return { status: Number(first.split(' ')[1]), headers, text: output.slice(end + 4) }
}

/** Headers of HTTP that no operation has to name. */
const USUAL = new Set(
  'x-request-id allow content-type content-length date vary etag cache-control transfer-encoding x-content-type-options x-accel-buffering'.split(
    ' ',
  ),
)

function isUsual(name: string): boolean {
  return USUAL.has(name) || name.startsWith('access-control-')
}

function expectDocumentedHeaders(response: OpenApiResponse | undefined, headers: Headers): void {
  const documented = new Set(Object.keys(response?.headers ?? {}).map((name) => name.toLowerCase()))
  expect([...headers.keys()].filter((name) => !isUsual(name) && !documented.has(name))).toEqual([])
}

describe('POST /v1/chat/completions', () => {
  test.each(CHAT_EXAMPLES.map((example) => [example.summary, example] as const))(
    '%s: pasted, the sample gets the response that stands below it',
    async (_, example) => {
      world.provider.play(providerOf(example))
      const sample = samplesOf('create_chat_completion')[CHAT_EXAMPLES.indexOf(example)] ?? ''
      const { status, headers, text } = await paste(sample)
      expect(status).toBe(200)
      const { response } = example
      const shown = typeof response === 'string' ? response : JSON.stringify(response)
      const identities = (body: string) =>
        body.replaceAll(/"chatcmpl-\w+"/g, '"id"').replaceAll(/"created":\d+/g, '"created":0')
      if (typeof response === 'string') expect(identities(text)).toBe(identities(shown))
      else expect(JSON.parse(identities(text))).toEqual(JSON.parse(identities(shown)))

      const operation = document.paths['/v1/chat/completions']?.['post']
      expectDocumentedHeaders(operation?.responses['200'], headers)
      expectDocumented(
        document,
        operation?.requestBody?.content['application/json']?.schema ?? {},
        example.request,
      )
      const content = operation?.responses['200']?.content ?? {}
      for (const [type, value] of valuesIn(text))
        expectDocumented(document, content[type]?.schema ?? {}, value)
    },
  )

  test('names every header of a response in the document', async () => {
    world.provider.play(streams('Hello'))
    const body = { temprature: 1, max_tokens: 20 }
    const first = await world.chat(body, { 'idempotency-key': 'headers' })
    const second = await world.chat(body, { 'idempotency-key': 'headers' })
    expect(first.headers.get('x-tollgate-dropped-fields')).toBe('temprature')
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    const response = document.paths['/v1/chat/completions']?.['post']?.responses['200']
    for (const { headers } of [first, second]) expectDocumentedHeaders(response, headers)
  })
})

/** The JSON values of a body: itself, or the data of a stream's events. */
function valuesIn(text: string): [string, Json][] {
  if (!text.startsWith('data: ')) return [['application/json', JSON.parse(text) as Json]]
  const events = text.split('\n\n').filter((event) => event !== '' && event !== 'data: [DONE]')
  return events.map((event) => ['text/event-stream', JSON.parse(event.slice('data: '.length)) as Json])
}

/** A provider that says in its own frame what the example shows. */
function providerOf({ response }: ChatExample): Act {
  if (typeof response !== 'string')
    return respond({ body: { ...response, id: 'chatcmpl-theirs', created: 1, model: 'upstream-chat-1' } })
  const deltas = valuesIn(response)
    .map(([, chunk]) => ((chunk as JsonObject)['choices'] as JsonObject[])[0])
    .filter((choice) => choice !== undefined)
  return stream([
    ...deltas.map((choice) =>
      openaiChunk(choice['delta'] as JsonObject, { finishReason: choice['finish_reason'] as string | null }),
    ),
    openaiUsageChunk(),
    'data: [DONE]\n\n',
  ])
}

test('every other sample, pasted in an order that makes sense, gets what the document describes', async () => {
  world.provider.play(streams('Hello'))
  const completion = (await (await world.chat()).json()) as JsonObject
  await world.settled()
  const EXAMPLE = '01K8XJ5M7QZ3V9T4B6N2C1D0FG'
  const ids: Record<string, string> = { [`chatcmpl-${EXAMPLE}`]: completion['id'] as string }
  const done = new Set(['create_chat_completion'])

  async function run(method: string, path: string, remember?: string): Promise<JsonObject> {
    const operation = document.paths[path]?.[method]
    expect([path, operation === undefined]).toEqual([path, false])
    if (operation === undefined) return {}
    const [sample = ''] = samplesOf(operation.operationId)
    const { status, headers, text } = await paste(sample, ids)
    done.add(operation.operationId)
    const wanted = Object.keys(operation.responses).find((code) => code.startsWith('2')) ?? ''
    expect([method, path, status, text]).toEqual([method, path, Number(wanted), text])
    const described = operation.responses[wanted]
    expectDocumentedHeaders(described, headers)
    const schema = described?.content?.['application/json']?.schema
    const body = schema === undefined ? undefined : (JSON.parse(text) as Json)
    if (schema !== undefined) expectDocumented(document, schema, body)
    if (!isJsonObject(body)) return {}
    const [first = body] = (Array.isArray(body['data']) ? body['data'] : [body]) as JsonObject[]
    if (remember !== undefined) ids[`${remember}_${EXAMPLE}`] = first['id'] as string
    return body
  }

  for (const path of ['/v1/models', '/v1/models/{model_id}', '/v1/key', '/v1/credits', '/v1/generation'])
    await run('get', path)
  await run('get', '/api/v1/public/models')
  await run('options', '/api/v1/public/models')
  const admin = '/api/v1/admin'
  await run('post', `${admin}/workspaces`, 'ws')
  await run('post', `${admin}/workspaces/{id}/credits`)
  await run('post', `${admin}/workspaces/{id}/keys`, 'key')
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
    '/requests/{id}',
    '/models',
    '/providers',
  ])
    await run('get', admin + path)
  await run('get', `${admin}/audit`, 'audit')
  await run('get', `${admin}/audit/{id}`)
  await run('patch', `${admin}/workspaces/{id}`)
  await run('patch', `${admin}/keys/{id}`)
  await run('post', `${admin}/keys/{id}/rotate`)
  await run('delete', `${admin}/keys/{id}`)
  await run('delete', `${admin}/tokens/{id}`)
  for (const path of ['/healthz', '/readyz', '/metrics']) await run('get', path)

  const described = Object.values(document.paths).flatMap((methods) => Object.values(methods))
  const left = described.filter(
    ({ operationId, tags }) =>
      !done.has(operationId) && !tags.includes('Pages') && !tags.includes('Preflight'),
  )
  expect(left.map(({ operationId }) => operationId)).toEqual([])
})
