import { fittedTable } from '../fittedTable.ts'
import { codeBlock } from '../shell.ts'
import { withBreakableCode } from './breakable.ts'
import { type Guide, servedPath } from './guides.ts'

/** A heading below the title of a guide. */
export interface Heading {
  readonly level: 2 | 3
  readonly anchor: string
  /** HTML. */
  readonly text: string
}

export interface GuideHtml {
  readonly html: string
  /** Those of the second and third level, in their order. */
  readonly headings: readonly Heading[]
}

/** The document as HTML: headings with anchors, tables that fit, links to what this server has. */
export function guideHtml(guide: Guide): GuideHtml {
  const anchors = new Set<string>()
  const headings: Heading[] = []
  const captions = captionsOf(guide.markdown)
  let tables = 0
  let blocks = 0
  const html = Bun.markdown
    .html(guide.markdown)
    .replaceAll(/<!--[\s\S]*?-->\n?/g, '')
    .replaceAll(/<img src="docs\/images\//g, '<img src="/docs/images/')
    .replaceAll(/<a href="([^"]*)">([\s\S]*?)<\/a>/g, (_, href: string, text: string) =>
      linkTo(href, text, guide),
    )
    .replaceAll(/<h([1-6])>([\s\S]*?)<\/h\1>/g, (_, digit: string, text: string) => {
      const anchor = anchorOf(text, anchors)
      anchors.add(anchor)
      const level = Number(digit)
      if (level === 1) return `<h1 id="${anchor}">${text.replaceAll('_', '_<wbr>')}</h1>`
      if (level === 2 || level === 3) headings.push({ level, anchor, text: withoutLinks(text) })
      const sign = `<a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a>`
      return `<h${digit} id="${anchor}">${text}${sign}</h${digit}>`
    })
    .replaceAll(/<pre><code[^>]*>([\s\S]*?)<\/code><\/pre>/g, (_, code: string) =>
      codeBlock(code, captions[blocks++]),
    )
  const broken = withBreakableCode(html)
  return {
    html: broken.replaceAll(/<table>[\s\S]*?<\/table>/g, (table) => fittedTable(`Table ${++tables}`, table)),
    headings,
  }
}

/** The file name behind the language of each fenced block, where there is one. */
function captionsOf(markdown: string): (string | undefined)[] {
  return [...markdown.matchAll(/^ *(`{3,})(.*)\n[\s\S]*?^ *\1$/gm)].map(([, , words = '']) => {
    const [, name] = words.trim().split(/\s+/)
    return name !== undefined && /[./]/.test(name) ? name : undefined
  })
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

function withoutLinks(html: string): string {
  return html.replaceAll(/<\/?a\b[^>]*>/g, '')
}

/** A link to what this server has not, such as a file of the source, is its text. */
function linkTo(href: string, text: string, guide: Guide): string {
  if (/^https?:/.test(href)) return `<a href="${href}" rel="noreferrer">${text}</a>`
  const path = servedPath(href, guide)
  return path === undefined ? text : `<a href="${path}">${text}</a>`
}
