import type { RouteConfig } from '@hono/zod-openapi'
import { ownFile } from '../../program.ts'
import type { Endpoint } from '../endpoint.ts'
import { type OpenApiDocument, openApiDocument } from '../openapi.ts'
import { priceFilter, pricesPage } from '../public/pricesPage.ts'
import type { Listing } from '../public/endpoints.ts'
import { html } from '../respond.ts'
import { SCRIPT_PATH, SEARCH_INDEX_PATH } from '../shell.ts'
import { ADDRESS_HEADERS, addressOf } from './address.ts'
import { withAnswerExamples } from './answerExamples.ts'
import { createByAddress, type Written } from './byAddress.ts'
import { guideEndpoints } from './guideEndpoints.ts'
import { llmsText } from './llmsText.ts'
import { KEPT_FOR_A_WHILE, page } from './pageRoute.ts'
import { referencePage } from './referencePage.ts'
import { searchIndex } from './searchIndex.ts'

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
  const llms = createByAddress(llmsText, keeping)
  let indexed: Promise<string> | undefined
  const index = () =>
    (indexed ??= document()
      .then(searchIndex)
      .then((pages) => JSON.stringify(pages)))
  const addressed = ({ etag }: Written) => ({ ...KEPT_FOR_A_WHILE, ETag: etag, Vary: ADDRESS_HEADERS })

  return [
    {
      route: page('The public prices', 'prices_page', '/'),
      handle: ({ query, request, viaProxy }) =>
        html(pricesPage(deps.listing(), priceFilter(query), addressOf(request, viaProxy)), 200, {
          'Cache-Control': 'public, max-age=60',
          Vary: ADDRESS_HEADERS,
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
      route: page('What the search box searches', 'search_index', SEARCH_INDEX_PATH, 'application/json'),
      handle: async () =>
        new Response(await index(), {
          headers: { 'Content-Type': 'application/json', ...KEPT_FOR_A_WHILE },
        }),
    },
    {
      route: page('The documents, for programs that read', 'llms_text', '/llms.txt', 'text/plain'),
      handle: async ({ request, viaProxy }) => {
        const written = await llms(addressOf(request, viaProxy))
        const headers = { 'Content-Type': 'text/plain; charset=utf-8' }
        return new Response(written.text, { headers: { ...headers, ...addressed(written) } })
      },
    },
    ...guideEndpoints(),
    {
      route: page('The script of the pages', 'site_script', SCRIPT_PATH, 'text/javascript'),
      handle: async () =>
        new Response(await Bun.file(SCRIPT).text(), {
          headers: { 'Content-Type': 'text/javascript; charset=utf-8', ...KEPT_FOR_A_WHILE },
        }),
    },
    {
      route: page(
        'The picture of the first page',
        'first_picture',
        '/docs/images/first-page.svg',
        'image/svg+xml',
      ),
      handle: async () =>
        new Response(await Bun.file(PICTURE).text(), {
          headers: { 'Content-Type': 'image/svg+xml', ...KEPT_FOR_A_WHILE },
        }),
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
const SCRIPT = ownFile('docs/site.js')
const PICTURE = ownFile('docs/images/first-page.svg')

/** The base URL of samples and of clients that are made from the document. */
function withServer(document: OpenApiDocument, address: string | undefined): OpenApiDocument {
  return address === undefined ? document : { ...document, servers: [{ url: address }] }
}
