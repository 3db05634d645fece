import type { RouteConfig } from '@hono/zod-openapi'
import { z } from 'zod'
import { GatewayError, refuse } from '../../core/error.ts'
import { type Call, type Endpoint, pathParam } from '../endpoint.ts'
import { type OpenApiDocument, openApiDocument } from '../openapi.ts'
import { priceFilter, pricesPage } from '../public/pricesPage.ts'
import type { Listing } from '../public/endpoints.ts'
import { html, json } from '../respond.ts'
import { addressOf } from './address.ts'
import { withAnswerExamples } from './answerExamples.ts'
import { refusals } from './errorSchema.ts'
import { guidePage, guidesPage } from './guidePage.ts'
import { readGuide } from './guides.ts'
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
  const document = () =>
    (written ??= openApiDocument(deps.described(), deps.version).then(withAnswerExamples))

  let last: { readonly address: string | undefined; readonly page: string } | undefined
  /** Most readers come by the same address: its page is kept. */
  function reference(document: OpenApiDocument, address: string | undefined): string {
    if (last === undefined || last.address !== address)
      last = { address, page: referencePage(document, address) }
    return last.page
  }

  /** The page of a document of the repository; `.md` at its end is as good. */
  async function guide(name: string): Promise<Response> {
    const found = await readGuide(name.replace(/(?:\/README)?\.md$/, ''))
    if (found === undefined)
      throw new GatewayError(
        refuse('not_found', `There is no page "${name.slice(0, NAME_SHOWN_MAX)}" under /docs.`),
      )
    return html(await guidePage(found), 200, KEPT_FOR_A_WHILE)
  }
  const inFolder = (folder: string, summary: string, parameter: string): Endpoint => ({
    route: {
      ...page(summary, `${folder}_page`, `/docs/${folder}/{${parameter}}`),
      request: { params: z.object({ [parameter]: z.string() }) },
      responses: { ...page('', '', '').responses, ...refusals('not_found') },
    },
    handle: (call) => guide(`${folder}/${pathParam(call, parameter)}`),
  })

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
      handle: async ({ request }) =>
        html(reference(await document(), addressOf(request)), 200, KEPT_FOR_A_WHILE),
    },
    {
      route: page('The OpenAPI document', 'openapi_document', '/openapi.json'),
      handle: async ({ request }) =>
        json(withServer(await document(), addressOf(request)), 200, {
          'Access-Control-Allow-Origin': '*',
          ...KEPT_FOR_A_WHILE,
        }),
    },
    {
      route: page('All guides', 'guides_page', '/docs/guides'),
      handle: async () => html(await guidesPage(), 200, KEPT_FOR_A_WHILE),
    },
    inFolder('errors', 'The page of an error code', 'code'),
    inFolder('decisions', 'The page of a decision', 'name'),
    {
      route: {
        ...page('A guide', 'guide_page', '/docs/{name}'),
        request: { params: z.object({ name: z.string() }) },
        responses: { ...page('', '', '').responses, ...refusals('not_found') },
      },
      handle: (call: Call) => guide(pathParam(call, 'name')),
    },
    {
      route: page('The icon of this site', 'favicon', '/favicon.ico'),
      handle: async () =>
        new Response(await Bun.file(FAVICON).bytes(), {
          headers: { 'Content-Type': 'image/x-icon', 'Cache-Control': 'public, max-age=86400' },
        }),
    },
  ]
}

const FAVICON = new URL('./favicon.ico', import.meta.url)
/** So much of a name that does not exist is repeated. */
const NAME_SHOWN_MAX = 80

/** The base URL of samples and of clients that are made from the document. */
function withServer(document: OpenApiDocument, address: string | undefined): OpenApiDocument {
  return address === undefined ? document : { ...document, servers: [{ url: address }] }
}
