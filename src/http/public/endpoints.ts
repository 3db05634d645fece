import { z } from 'zod'
import type { Model } from '../../core/model.ts'
import { answers, refusals } from '../docs/errorSchema.ts'
import type { Call, Endpoint } from '../endpoint.ts'
import { matchesEtag } from './etag.ts'
import { type FurtherPrice, furtherPrices } from './furtherPrices.ts'
import { PublicModel, publicListing } from './listing.ts'

export const PUBLIC_MODELS_PATH = '/api/v1/public/models'

export const MAX_AGE_SECONDS = 60
/** The listing is built again after this long, because a price may have come into force. */
const LISTING_LIFE_MS = 1000

export interface PublicDeps {
  readonly models: () => readonly Model[]
  readonly clock: () => number
  readonly hash: (text: string) => string
}

/** The public listing as it goes over the wire, built at most once a second. */
export interface Listing {
  readonly entries: readonly PublicModel[]
  /** By the id of a model: what the page shows beside the contract's fields. */
  readonly further: ReadonlyMap<string, readonly FurtherPrice[]>
  readonly body: string
  readonly etag: string
}

export function createListing(deps: PublicDeps): () => Listing {
  let built: { readonly models: readonly Model[]; readonly at: number; readonly listing: Listing } | undefined
  return () => {
    const models = deps.models()
    const at = deps.clock()
    if (built?.models !== models || at - built.at >= LISTING_LIFE_MS || at < built.at) {
      const entries = publicListing(models, at)
      const body = JSON.stringify(entries)
      const further = new Map(models.map((model) => [model.id, furtherPrices(model, at)]))
      built = { models, at, listing: { entries, further, body, etag: `"${deps.hash(body).slice(0, 32)}"` } }
    }
    return built.listing
  }
}

/** `GET /api/v1/public/models`: for anybody, from any origin. */
export function publicEndpoints(listing: () => Listing): Endpoint[] {
  return [
    {
      route: {
        method: 'get',
        path: PUBLIC_MODELS_PATH,
        operationId: 'public_models',
        summary: 'List all models with prices',
        description: 'Needs no key and may be called from any origin.',
        tags: ['Public'],
        security: [],
        responses: {
          ...answers(200, 'Every model that is served, by id.', z.array(PublicModel), {
            ETag: { schema: { type: 'string' } },
            'Cache-Control': { schema: { type: 'string' } },
            'Access-Control-Allow-Origin': { schema: { type: 'string', const: '*' } },
          }),
          304: { description: 'Unchanged since the `ETag` in `If-None-Match`.' },
          ...refusals('internal_error'),
        },
      },
      handle: (call) => respond(call, listing()),
    },
    {
      route: {
        method: 'options',
        path: PUBLIC_MODELS_PATH,
        operationId: 'public_models_preflight',
        summary: 'Answer a CORS preflight',
        tags: ['Public'],
        security: [],
        responses: { 204: { description: 'Any origin may read it.' } },
      },
      handle: () => new Response(null, { status: 204, headers: { ...CORS, ...PREFLIGHT } }),
    },
  ]
}

const CORS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': 'ETag, X-Request-ID',
}

const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'GET, HEAD, OPTIONS',
  'Access-Control-Allow-Headers': '*',
  'Access-Control-Max-Age': '86400',
  Allow: 'GET, HEAD, OPTIONS',
}

function respond({ request }: Call, { body, etag }: Listing): Response {
  const headers = { ...CORS, ETag: etag, 'Cache-Control': `public, max-age=${MAX_AGE_SECONDS}` }
  if (matchesEtag(request.headers.get('if-none-match'), etag))
    return new Response(null, { status: 304, headers })
  return new Response(body, { headers: { ...headers, 'Content-Type': 'application/json' } })
}
