import { z } from 'zod'
import { GatewayError, refuse } from '../../core/error.ts'
import { printableStart } from '../../core/printable.ts'
import { RecentMap } from '../../core/recent.ts'
import { type Endpoint, pathParam } from '../endpoint.ts'
import { html } from '../respond.ts'
import { refusals } from './errorSchema.ts'
import { guideMarkdown } from './guideMarkdown.ts'
import { guidePage, guidesPage } from './guidePage.ts'
import { readGuide } from './guides.ts'
import { KEPT_FOR_A_WHILE, page } from './pageRoute.ts'

/** Pages that are kept as they are sent: each costs a few milliseconds to write and some 50 KB to keep. */
const PAGES_KEPT_MAX = 16
/** So much of a name that does not exist is repeated. */
const NAME_SHOWN_MAX = 80

/** The documents of the repository as pages, and with `.md` at the end of the path as Markdown. */
export function guideEndpoints(): Endpoint[] {
  const kept = new RecentMap<string, string>(PAGES_KEPT_MAX)

  async function pageOf(name: string): Promise<string | undefined> {
    const written = kept.get(name) ?? (await writePage(name))
    // What is read stays.
    if (written !== undefined) kept.set(name, written)
    return written
  }

  async function guide(path: string): Promise<Response> {
    const name = path.replace(/(?:\/README)?\.md$/, '')
    if (name !== path) {
      const found = await readGuide(name)
      if (found !== undefined)
        return new Response(guideMarkdown(found), {
          headers: { 'Content-Type': 'text/markdown; charset=utf-8', ...KEPT_FOR_A_WHILE },
        })
    }
    const written = name === path ? await pageOf(name) : undefined
    if (written !== undefined) return html(written, 200, KEPT_FOR_A_WHILE)
    const shown = printableStart(path, NAME_SHOWN_MAX)
    throw new GatewayError(refuse('not_found', `There is no page "${shown}" under /docs.`))
  }

  const inFolder = (folder: string, summary: string, parameter: string): Endpoint => ({
    route: guideRoute(summary, `${folder}_page`, `/docs/${folder}`, parameter),
    handle: (call) => guide(`${folder}/${pathParam(call, parameter)}`),
  })
  return [
    {
      route: page('All guides', 'guides_page', '/docs/guides'),
      handle: async () => html(await guidesPage(), 200, KEPT_FOR_A_WHILE),
    },
    inFolder('errors', 'The page of an error code', 'code'),
    inFolder('decisions', 'The page of a decision', 'name'),
    {
      route: guideRoute('A guide', 'guide_page', '/docs', 'name'),
      handle: (call) => guide(pathParam(call, 'name')),
    },
  ]
}

async function writePage(name: string): Promise<string | undefined> {
  const found = await readGuide(name)
  return found && guidePage(found)
}

function guideRoute(summary: string, operationId: string, folder: string, parameter: string) {
  const route = page(summary, operationId, `${folder}/{${parameter}}`, 'text/html', 'text/markdown')
  return {
    ...route,
    description: 'With `.md` at its end it is Markdown. A browser that finds nothing there gets a page, too.',
    request: { params: z.object({ [parameter]: z.string() }) },
    responses: { ...route.responses, ...notFound() },
  }
}

/** JSON, or a page for those who ask for HTML. */
function notFound() {
  const described = refusals('not_found')
  return Object.fromEntries(
    Object.entries(described).map(([status, response]) => [
      status,
      {
        ...response,
        content: {
          ...('content' in response && response.content),
          'text/html': { schema: { type: 'string' as const } },
        },
      },
    ]),
  )
}
