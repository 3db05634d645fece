import { escapeHtml } from '../escape.ts'
import { foldedList, pageShell } from '../shell.ts'
import { guideHtml, type Heading } from './guideHtml.ts'
import { GUIDE_GROUPS, type Guide, readGuide } from './guides.ts'

/** A document of the repository as a page, with the list of guides beside it. */
export async function guidePage(guide: Guide): Promise<string> {
  const { html, headings } = guideHtml(guide)
  const isListed = headings.length >= OUTLINE_MIN
  return pageShell({
    title: `${guide.title} · Tollgate`,
    description: guide.description,
    here: '/docs/guides',
    markdown: `/docs/${guide.name}.md`,
    aside: await guideList(guide.name),
    ...(isListed && { outline: outlineOf(headings) }),
    main: html,
  })
}

/** `/docs/guides`: all guides, each with what it is for. */
export async function guidesPage(): Promise<string> {
  const groups = await Promise.all(
    GUIDE_GROUPS.map(async ({ title, names }) => {
      const entries = (await guidesOf(names)).map(
        (guide) =>
          `<li><a href="/docs/${guide.name}">${escapeHtml(guide.title)}</a><br>${escapeHtml(guide.description)}</li>`,
      )
      return `<section><h2>${escapeHtml(title)}</h2><ul class="guides">${entries.join('')}</ul></section>`
    }),
  )
  return pageShell({
    title: 'Guides · Tollgate',
    description: 'All guides: use the API, set up the gateway, operate it, develop it.',
    here: '/docs/guides',
    main: `<h1>Guides</h1><p class="lead">The fields of every request and response are in the <a href="/docs">API reference</a>.</p>${groups.join('\n')}`,
  })
}

/** The guides as a list of links, in groups. */
export async function guideList(current?: string): Promise<string> {
  const groups = await Promise.all(
    GUIDE_GROUPS.map(async ({ title, names }) => {
      const links = (await guidesOf(names)).map(
        (guide) =>
          `<li><a href="/docs/${guide.name}"${isWithin(current, guide) ? ' aria-current="page"' : ''}>${escapeHtml(guide.title)}</a></li>`,
      )
      return `<h2>${escapeHtml(title)}</h2><ul>${links.join('')}</ul>`
    }),
  )
  return foldedList({ kind: 'toc', label: 'Guides', summary: 'All pages', content: groups.join('') })
}

/** A page with fewer headings is seen whole. */
const OUTLINE_MIN = 3
/** With more headings those of the third level are left out. */
const OUTLINE_MAX = 30

function outlineOf(headings: readonly Heading[]): string {
  const shown = headings.length > OUTLINE_MAX ? headings.filter(({ level }) => level === 2) : headings
  const links = shown.map(
    ({ level, anchor, text }) =>
      `<li${level === 3 ? ' class="deeper"' : ''}><a href="#${anchor}">${text}</a></li>`,
  )
  const content = `<p class="beside-title" aria-hidden="true">On this page</p><ul>${links.join('')}</ul>`
  return foldedList({ kind: 'outline', label: 'On this page', summary: 'On this page', content })
}

/** The page of an error code is within the errors. */
function isWithin(current: string | undefined, { name }: Guide): boolean {
  return current === name || (current?.startsWith(`${name}/`) ?? false)
}

async function guidesOf(names: readonly string[]): Promise<Guide[]> {
  const guides = await Promise.all(names.map((name) => readGuide(name)))
  return guides.filter((guide) => guide !== undefined)
}
