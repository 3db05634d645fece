import { type Guide, servedPath } from './guides.ts'

/**
 * The document as Markdown whose links lead to what this server has: other documents as Markdown too, the rest by its
 * path. A link to what it has not is its text.
 */
export function guideMarkdown(guide: Guide): string {
  return (
    guide.markdown
      .split(/^( *(`{3,})[\s\S]*?^ *\2$)/m)
      // Of each match there are two groups: the block, and its fence.
      .map((part, index) => (index % 3 === 0 ? withServedLinks(part, guide) : index % 3 === 1 ? part : ''))
      .join('')
  )
}

/** A pair of brackets with at most one pair inside, and the address behind it. */
const LINK = /\[((?:[^[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g

function withServedLinks(prose: string, guide: Guide): string {
  return prose.replaceAll(/^<!--.*-->\n+/gm, '').replaceAll(LINK, (_, text: string, href: string) => {
    if (/^https?:/.test(href)) return `[${text}](${href})`
    const path = servedPath(href, guide)
    return path === undefined ? text : `[${text}](${markdownPath(path)})`
  })
}

/** `/docs/billing#the-ledger` → the same heading of the document as Markdown; a path outside of the documents stays. */
function markdownPath(path: string): string {
  return path.replace(/^(\/docs\/[^#]+)/, '$1.md')
}
