import type { RouteConfig } from '@hono/zod-openapi'
import { z } from 'zod'
import { GatewayError, refuse } from '../../core/error.ts'
import { printableStart } from '../../core/printable.ts'
import { ownFile } from '../../program.ts'
import { type Call, type Endpoint, pathParam } from '../endpoint.ts'
import { type OpenApiDocument, openApiDocument } from '../openapi.ts'
import { priceFilter, pricesPage } from '../public/pricesPage.ts'
import type { Listing } from '../public/endpoints.ts'
import { html } from '../respond.ts'
import { ADDRESS_HEADERS, addressOf } from './address.ts'
import { withAnswerExamples } from './answerExamples.ts'
import { createByAddress, type Written } from './byAddress.ts'
import { refusals } from './errorSchema.ts'
import { guidePage, guidesPage } from './guidePage.ts'
import { readGuide } from './guides.ts'
import { referencePage } from './referencePage.ts'

export interface PageDeps {
  readonly listing: () => Listing
  /** Everything the OpenAPI document is to describe. */
  readonly described: () => readonly RouteConfig[]
  readonly version: string
  /** SHA-256, lowercase hexadecimal. */
  readonly hash: (text: string) => string
  /** Milliseconds since the epoch. */
  readonly clock: () => number
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

  const keeping = { hash: deps.hash, now: deps.clock }
  const reference = createByAddress(async (address) => referencePage(await document(), address), keeping)
  const openApi = createByAddress(
    async (address) => JSON.stringify(withServer(await document(), address)),
    keeping,
  )
  const addressed = ({ etag }: Written) => ({ ...KEPT_FOR_A_WHILE, ETag: etag, Vary: ADDRESS_HEADERS })

  /** The page of a document of the repository; `.md` at its end is as good. */
  async function guide(name: string): Promise<Response> {
    const found = await readGuide(name.replace(/(?:\/README)?\.md$/, ''))
    if (found === undefined)
      throw new GatewayError(
        refuse('not_found', `There is no page "${printableStart(name, NAME_SHOWN_MAX)}" under /docs.`),
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
      handle: async ({ request, viaProxy }) => {
        const written = await reference(addressOf(request, viaProxy))
        return html(written.text, 200, addressed(written))
      },
    },
    {
      route: page('The OpenAPI document', 'openapi_document', '/openapi.json'),
      handle: async ({ request, viaProxy }) => {
        const written = await openApi(addressOf(request, viaProxy))
        const headers = { 'Content-Type': 'application/json', 'Access-Control-Allow-Origin': '*' }
        return new Response(written.text, { headers: { ...headers, ...addressed(written) } })
      },
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

const FAVICON = ownFile('docs/favicon.ico')
/** So much of a name that does not exist is repeated. */
const NAME_SHOWN_MAX = 80

/** The base URL of samples and of clients that are made from the document. */
function withServer(document: OpenApiDocument, address: string | undefined): OpenApiDocument {
  return address === undefined ? document : { ...document, servers: [{ url: address }] }
}
