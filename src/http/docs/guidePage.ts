import { escapeHtml } from '../escape.ts'
import { pageShell, scrollBox } from '../shell.ts'
import { GUIDE_GROUPS, type Guide, readGuide, servedPath } from './guides.ts'

/** A document of the repository as a page, with the list of guides beside it. */
export async function guidePage(guide: Guide): Promise<string> {
  return pageShell({
    title: `${guide.title} · Tollgate`,
    description: descriptionOf(guide),
    here: '/docs/guides',
    aside: await guideList(guide.name),
    main: htmlOf(guide),
  })
}

/** `/docs/guides`: all guides, each with its first sentence. */
export async function guidesPage(): Promise<string> {
  const groups = await Promise.all(
    GUIDE_GROUPS.map(async ({ title, names }) => {
      const guides = await guidesOf(names)
      const entries = guides.map(
        (guide) =>
          `<li><a href="/docs/${guide.name}">${escapeHtml(plainText(guide.title))}</a><br>${escapeHtml(descriptionOf(guide))}</li>`,
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
          `<li><a href="/docs/${guide.name}"${isWithin(current, guide) ? ' aria-current="page"' : ''}>${escapeHtml(plainText(guide.title))}</a></li>`,
      )
      return `<h2>${escapeHtml(title)}</h2><ul>${links.join('')}</ul>`
    }),
  )
  return `<nav class="toc" aria-label="Guides">${groups.join('')}</nav>`
}

/** The page of an error code is within the errors. */
function isWithin(current: string | undefined, { name }: Guide): boolean {
  return current === name || (current?.startsWith(`${name}/`) ?? false)
}

async function guidesOf(names: readonly string[]): Promise<Guide[]> {
  const guides = await Promise.all(names.map((name) => readGuide(name)))
  return guides.filter((guide) => guide !== undefined)
}

function htmlOf(guide: Guide): string {
  const anchors = new Set<string>()
  let tables = 0
  return Bun.markdown
    .html(guide.markdown)
    .replaceAll(/<!--[\s\S]*?-->\n?/g, '')
    .replaceAll(/<(h[1-6])>([\s\S]*?)<\/\1>/g, (_, tag: string, text: string) => {
      const id = anchorOf(text, anchors)
      anchors.add(id)
      return `<${tag} id="${id}">${text}</${tag}>`
    })
    .replaceAll(/<a href="([^"]*)">([\s\S]*?)<\/a>/g, (_, href: string, text: string) =>
      linkTo(href, text, guide),
    )
    .replaceAll(/<table>[\s\S]*?<\/table>/g, (table) => scrollBox(`Table ${++tables}`, table))
}

/** The anchor that GitHub gives a heading, so that a link leads to the same place here and there. */
function anchorOf(heading: string, taken: ReadonlySet<string>): string {
  const slug = heading
    .replaceAll(/<[^>]*>|&\w+;/g, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-')
  let id = slug
  for (let n = 1; taken.has(id); n++) id = `${slug}-${n}`
  return id
}

/** A link to what this server has not, such as a file of the source, is its text. */
function linkTo(href: string, text: string, guide: Guide): string {
  if (/^https?:/.test(href)) return `<a href="${href}" rel="noreferrer">${text}</a>`
  const path = servedPath(href, guide)
  return path === undefined ? text : `<a href="${path}">${text}</a>`
}

const DESCRIPTION_MAX = 200

/** The first sentence of the first paragraph. */
function descriptionOf({ markdown, title }: Guide): string {
  const paragraph = markdown
    .split(/\n{2,}/)
    .find((block) => !/^(?:#|<!--|```|\||[-*] |\d+\. )/.test(block.trim()) && block.trim() !== '')
  const [sentence = title] = /^.*?[.:](?=\s|$)/s.exec(plainText(paragraph ?? '')) ?? []
  return sentence.replace(/:$/, '.').slice(0, DESCRIPTION_MAX)
}

/** Markdown of one paragraph without its marks. */
function plainText(markdown: string): string {
  return markdown
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/[`*]/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
