import { z } from 'zod'
import { assert } from '../../../src/core/assert.ts'
import { refuse } from '../../../src/core/error.ts'
import { ANSWER_JSON, type Json, type JsonObject, isJsonObject } from '../../../src/core/json.ts'
import { printableStart } from '../../../src/core/printable.ts'
import type { RequestTraits } from '../../../src/core/traits.ts'
import { NO_USAGE, type ReportedUsage } from '../../../src/core/usage.ts'
import { priced } from '../../../src/http/dataPlane/priced.ts'
import { answers } from '../../../src/http/docs/errorSchema.ts'
import type { PricedEndpoint } from '../../../src/pipeline/priced.ts'
import { settleWhole } from '../../../src/pipeline/relay/settleWhole.ts'
import { readWhole, send } from '../../../src/upstream/send.ts'
import { invalidAnswer } from '../../../src/wire/invalidAnswer.ts'

/** An endpoint that is not of chat, and charges by item: `POST /v1/rerank` sorts documents by a query. */

interface RerankRequest extends RequestTraits {
  readonly query: string
  readonly documents: readonly string[]
}

interface Ranking {
  /** Places of documents, the best first. */
  readonly order: readonly number[]
  readonly usage: ReportedUsage | undefined
}

export const rerankEndpoint: PricedEndpoint<RerankRequest, Ranking> = {
  decode(body) {
    if (!isJsonObject(body)) return refused('The body must be an object.', null)
    const { model, query, documents } = body
    if (typeof model !== 'string') return refused('`model` must be a string.', 'model')
    if (typeof query !== 'string') return refused('`query` must be a string.', 'query')
    if (!isTexts(documents)) return refused('`documents` must be a list of strings.', 'documents')
    const request = {
      model,
      query,
      documents,
      n: 1,
      maxTokens: 0,
      stream: false,
      includeUsage: false,
      extra: {},
    }
    return { ok: true, request }
  },

  prompt: ({ query, documents }) => ({
    size: { textTokens: documents.length, images: 0, audioTokens: 0, unfolds: false },
    count: () => Promise.resolve(documents.length),
    messages: () => [query],
  }),

  fit: ({ routes }) => Promise.resolve({ ok: true, routes }),

  async attempt(request, { options }) {
    const { query, documents } = request
    const body = { model: options.route.target.upstreamModel, query, documents }
    const response = await send(request, { path: '/rerank', headers: {}, body, dropped: [] }, options)
    const ranking = await readWhole(response, options, ANSWER_JSON, (json) =>
      rankingOf(json, documents.length),
    )
    return { kind: 'whole', response: ranking }
  },

  async reply(call, next) {
    const answer = await call.unlessStopped(next())
    assert(answer.body.kind === 'whole', 'a ranking is never streamed')
    const { order, usage: reported } = answer.body.response
    const outcome = { ending: 'completed', status: 200, answer, reported, generatedText: () => '' } as const
    return settleWhole(call, outcome, (usage) =>
      JSON.stringify({
        id: call.id,
        model: answer.route.model.id,
        order,
        usage: { documents: usage.promptTokens },
      }),
    )
  },
}

export const rerank = priced({
  path: '/v1/rerank',
  idPrefix: 'rerank-',
  encodeError: ({ code, message, param }) => ({ detail: message, code, field: param }),
  priced: rerankEndpoint,
  description: {
    operationId: 'create_rerank',
    summary: 'Sort documents by a query',
    tag: 'Models and completions',
    body: { content: { 'application/json': { schema: z.object({ query: z.string() }) } } },
    responses: answers(200, 'The places of the documents.', z.object({ order: z.array(z.int()) })),
    error: z.object({ detail: z.string(), code: z.string(), field: z.string().nullable() }),
  },
})

function rankingOf(body: Json, count: number): Ranking {
  if (!isJsonObject(body) || !Array.isArray(body['order']))
    throw invalidAnswer('an answer without an order', body)
  const order = body['order'].filter((place) => typeof place === 'number' && place < count)
  return { order: order as number[], usage: usageOf(body['usage']) }
}

function usageOf(usage: JsonObject[string]): ReportedUsage | undefined {
  const documents = isJsonObject(usage) ? usage['documents'] : undefined
  return typeof documents === 'number' ? { ...NO_USAGE, promptTokens: documents } : undefined
}

function isTexts(value: Json | undefined): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string')
}

function refused(message: string, param: string | null) {
  return {
    ok: false,
    refusal: refuse('invalid_request', printableStart(message), param === null ? {} : { param }),
  } as const
}
