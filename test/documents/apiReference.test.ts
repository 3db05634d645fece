import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Json, JsonObject } from '../../src/core/json.ts'
import { CHAT_EXAMPLES, type ChatExample } from '../../src/http/docs/chatExamples.ts'
import type { OpenApiDocument, OpenApiResponse } from '../../src/http/openapi.ts'
import { type Act, openaiChunk, openaiUsageChunk, respond, streams } from '../support/scriptedProvider.ts'
import { stream } from '../support/scriptedActs.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import type { World } from '../support/world.ts'
import { expectDocumented } from './openApi.ts'
import { type Reference, openReference, tellStory } from './referenceStory.ts'

let reference: Reference
let world: World
let document: OpenApiDocument

beforeAll(async () => {
  reference = await openReference()
  ;({ world, document } = reference)
})
afterAll(() => reference[Symbol.asyncDispose]())

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
      const sample = reference.samplesOf('create_chat_completion')[CHAT_EXAMPLES.indexOf(example)] ?? ''
      const { status, headers, text } = await reference.paste(sample)
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

test(
  'every other sample, pasted in an order that makes sense, gets the answer that stands below it',
  async () => {
    await using fresh = await openReference()
    const { pasted, examples } = await tellStory(fresh)
    for (const { method, path, operation, status, headers, text } of pasted) {
      const wanted = Object.keys(operation.responses).find((code) => code.startsWith('2')) ?? ''
      expect([method, path, status, text]).toEqual([method, path, Number(wanted), text])
      const described = operation.responses[wanted]
      expectDocumentedHeaders(described, headers)
      const schema = described?.content?.['application/json']?.schema
      if (schema !== undefined) expectDocumented(document, schema, JSON.parse(text))
    }

    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods))
    const done = new Set(['create_chat_completion', ...pasted.map(({ operation }) => operation.operationId)])
    const left = operations.filter(
      ({ operationId, tags }) =>
        !done.has(operationId) && !tags.includes('Pages') && !tags.includes('Preflight'),
    )
    expect(left.map(({ operationId }) => `${operationId}: run its sample in referenceStory.ts`)).toEqual([])

    const shown = Object.fromEntries(
      operations.flatMap(({ operationId, responses }) => {
        const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
        const given = Object.entries(success?.content?.['application/json']?.examples ?? {})
        if (operationId === 'create_chat_completion' || given.length === 0) return []
        return [[operationId, Object.fromEntries(given.map(([name, { value }]) => [name, value]))]]
      }),
    )
    if (!Bun.deepEquals(shown, examples)) console.error(RENEW)
    expect(shown).toEqual(examples)
  },
  TEST_LIMIT_MS,
)

const RENEW = 'The reference shows other answers: bin/bun run scripts/updateAnswerExamples.ts records them.'
