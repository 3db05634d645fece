import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { type AdminWorld, createAdminWorld } from '../../../test/support/adminWorld.ts'
import type { Json } from '../../core/json.ts'
import { decodeRequest } from '../../wire/openai-chat/decodeRequest.ts'
import { NEEDED_FIELDS, OPTIONAL_FIELDS } from '../../wire/openai-chat/requestFieldNames.ts'
import { addressList } from '../insider.ts'
import type { OpenApiDocument } from '../openapi.ts'
import { ChatCompletionRequest } from './chatRequestSchema.ts'

const NEEDED = { model: 'acme/chat-1', messages: [{ role: 'user', content: 'Hello' }] }

/** A value of any kind: whichever a field wants, one of them names it as known, rightly or wrongly made. */
const VALUES: readonly Json[] = ['text', 1, true, [], {}]

function isRead(field: string): boolean {
  return VALUES.some((value) => {
    const decoded = decodeRequest({ stream: true, ...NEEDED, [field]: value })
    return !decoded.ok || decoded.request.unknownFields === undefined
  })
}

/** Whatever could be the name of a field in the sources of the decoder. */
function names(): string[] {
  const sources = ['decodeRequest.ts', 'requestExtras.ts', 'decodeRouting.ts'].map((file) =>
    readFileSync(new URL(`../../wire/openai-chat/${file}`, import.meta.url), 'utf8'),
  )
  const found = sources.flatMap((source) => [...source.matchAll(/'([a-z][a-z_]*)'|body\.([a-z_]+)/g)])
  return [...new Set(found.map(([, quoted, property]) => quoted ?? property ?? ''))]
}

describe('the documented request', () => {
  const documented = Object.keys(ChatCompletionRequest.shape)

  test('has no field that the decoder does not know', () => {
    expect(documented.filter((field) => !isRead(field))).toEqual([])
    expect(isRead('temprature')).toBe(false)
  })

  test('has every field that the decoder knows', () => {
    const known = names().filter(isRead)
    expect(known.length).toBeGreaterThan(30)
    expect(known.filter((field) => !documented.includes(field))).toEqual([])
  })

  test('has the fields that a configuration may name, and beside them those that no provider is sent as they are', () => {
    const beside = ['models', 'provider', 'stream_options']
    expect([...NEEDED_FIELDS, ...OPTIONAL_FIELDS, ...beside].toSorted()).toEqual(documented.toSorted())
  })
})

test('the reference shows tools, formats, reasoning and the details of usage, whole and streamed', async () => {
  const world: AdminWorld = await createAdminWorld()
  const page = (await (await world.call('GET', '/docs')).text()).replaceAll('<wbr>', '')
  const document: OpenApiDocument = await world.ask('GET', '/openapi.json')
  await world.close()
  for (const field of [
    'tools[].function.parameters',
    'tool_choice',
    'response_format.json_schema.schema',
    'messages[].tool_calls[].function.arguments',
    'messages[].content[].image_url.url',
    'messages[].reasoning_details[].signature',
    'stream_options.include_usage',
    'provider.max_price.prompt',
    'choices[].message.tool_calls[].function.name',
    'choices[].message.reasoning_content',
    'choices[].delta.tool_calls[].function.arguments',
    'usage.prompt_tokens_details.cached_tokens',
    'usage.completion_tokens_details.reasoning_tokens',
  ])
    expect([field, page.includes(`<code>${field}</code>`)]).toEqual([field, true])
  expect(page).toContain('Authorization: Bearer')
  const responses = document.paths['/v1/chat/completions']?.['post']?.responses['200']?.content
  expect(Object.keys(responses ?? {})).toEqual(['application/json', 'text/event-stream'])
})

const proxiesOf = (trusted: readonly string[]) => ({
  trusted: () => addressList(trusted),
  onUntrusted: () => undefined,
})

test('samples have the address by which the reader came, where it is one', async () => {
  const world = await createAdminWorld({ proxies: proxiesOf(['203.0.113.7']) })
  const page = async (headers: Record<string, string>) =>
    (await world.call('GET', '/docs', undefined, headers)).text()
  expect(await page({ host: 'gateway.example.com', 'x-forwarded-proto': 'https' })).toContain(
    'export TOLLGATE=https://gateway.example.com\n',
  )
  expect(await page({ host: '[::1]:4100' })).toContain('export TOLLGATE=http://[::1]:4100\n')
  for (const host of ['"><script>', 'a b', "x';rm -rf /;'", '$(id)', 'a/b'])
    expect(await page({ host })).toContain('export TOLLGATE=http://127.0.0.1:4100\n')
  const document: OpenApiDocument = await world.ask('GET', '/openapi.json', undefined, {
    host: 'gateway.example.com',
  })
  await world.close()
  expect(document.servers).toEqual([{ url: 'http://gateway.example.com' }])
})

test('only a trusted proxy says that the reader came by https, and a cache keeps a page for each answer to that', async () => {
  const world = await createAdminWorld({ proxies: proxiesOf(['10.0.0.1']) })
  const headers = { host: 'gateway.example.com', 'x-forwarded-proto': 'https' }
  for (const path of ['/docs', '/openapi.json']) {
    const ask = (address: string) =>
      world.fetch(new Request(`http://127.0.0.1${path}`, { headers }), { address })
    const [stranger, proxied] = await Promise.all([ask('203.0.113.7'), ask('10.0.0.1')])
    for (const response of [stranger, proxied])
      expect(response.headers.get('vary')).toBe('Host, X-Forwarded-Proto, Accept-Encoding')
    expect(await stranger.text()).not.toContain('https://gateway.example.com')
    expect(await proxied.text()).toContain('https://gateway.example.com')
  }
  await world.close()
})

test('an unchanged page is a 304, compressed or not, with what it depends on', async () => {
  const world = await createAdminWorld()
  for (const path of ['/docs', '/openapi.json']) {
    for (const encoding of ['gzip', 'identity']) {
      const headers = { 'accept-encoding': encoding }
      const first = await world.call('GET', path, undefined, headers)
      const text = await (encoding === 'gzip'
        ? new Response(Bun.gunzipSync(await first.arrayBuffer())).text()
        : first.text())
      expect([first.headers.get('content-encoding'), text.length > 100_000]).toEqual([
        encoding === 'gzip' ? 'gzip' : null,
        true,
      ])
      const known = { ...headers, 'if-none-match': first.headers.get('etag') ?? '' }
      const second = await world.call('GET', path, undefined, known)
      expect([second.status, await second.text(), second.headers.get('vary')]).toEqual([
        304,
        '',
        'Host, X-Forwarded-Proto, Accept-Encoding',
      ])
    }
  }
  await world.close()
})
