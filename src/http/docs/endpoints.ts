import type { RouteConfig } from '@hono/zod-openapi'
import { z } from 'zod'
import { GatewayError, refuse } from '../../core/error.ts'
import { type Endpoint, pathParam } from '../endpoint.ts'
import { type OpenApiDocument, openApiDocument } from '../openapi.ts'
import { priceFilter, pricesPage } from '../public/pricesPage.ts'
import type { Listing } from '../public/endpoints.ts'
import { html, json } from '../respond.ts'
import { errorPage, isErrorCode } from './errorPage.ts'
import { refusals } from './errorSchema.ts'
import { referencePage } from './referencePage.ts'

export interface PageDeps {
  readonly listing: () => Listing
  /** Everything the OpenAPI document is to describe. */
  readonly described: () => readonly RouteConfig[]
  readonly version: string
}

const page = (summary: string, operationId: string, path: string) => ({
  method: 'get' as const,
  path,
  operationId,
  summary,
  tags: ['Pages'],
  security: [],
  responses: {
    200: { description: 'A page.', content: { 'text/html': { schema: { type: 'string' as const } } } },
  },
})

/** They change with the version alone. */
const KEPT_FOR_A_WHILE = { 'Cache-Control': 'public, max-age=300' }

/** The pages for people and the OpenAPI document, each written when first asked for. */
export function pageEndpoints(deps: PageDeps): Endpoint[] {
  let written: Promise<OpenApiDocument> | undefined
  const document = () => (written ??= openApiDocument(deps.described(), deps.version))
  let reference: string | undefined

  return [
    {
      route: page('The public prices', 'prices_page', '/'),
      handle: ({ query }) =>
        html(pricesPage(deps.listing().entries, priceFilter(query)), 200, {
          'Cache-Control': 'public, max-age=60',
        }),
    },
    {
      route: page('The API reference', 'reference_page', '/docs'),
      handle: async () => html((reference ??= referencePage(await document())), 200, KEPT_FOR_A_WHILE),
    },
    {
      route: page('The OpenAPI document', 'openapi_document', '/openapi.json'),
      handle: async () =>
        json(await document(), 200, { 'Access-Control-Allow-Origin': '*', ...KEPT_FOR_A_WHILE }),
    },
    {
      route: {
        ...page('The page of an error code', 'error_page', '/docs/errors/{code}'),
        request: { params: z.object({ code: z.string() }) },
        responses: { ...page('', '', '').responses, ...refusals('not_found') },
      },
      handle: async (call) => {
        const code = pathParam(call, 'code').replace(/\.md$/, '')
        if (!isErrorCode(code))
          throw new GatewayError(refuse('not_found', `There is no error code "${code.slice(0, 80)}".`))
        return html(await errorPage(code), 200, KEPT_FOR_A_WHILE)
      },
    },
  ]
}
