import { escapeHtml } from './escape.ts'
import { STYLE } from './style.ts'

/** The one script: search and copy buttons. Everything else works without it. */
export const SCRIPT_PATH = '/site.js'
/** What the search box searches, as JSON. */
export const SEARCH_INDEX_PATH = '/docs/search.json'

/** The frame of every page for people: one stylesheet, one script, nothing from elsewhere. */
export function pageShell(page: {
  /** Text. */
  readonly title: string
  /** Text. */
  readonly description: string
  /** Which entry of the navigation is this page. */
  readonly here: '/' | '/docs' | '/docs/guides' | undefined
  /** HTML. */
  readonly main: string
  /** Path of the same document as Markdown. */
  readonly markdown?: string
  /** HTML before the main part, such as the list of all guides: `foldedList`. */
  readonly aside?: string
  /** HTML beside the main part where there is room, else before it: what is on this page. */
  readonly outline?: string
  readonly style?: string
}): string {
  const link = (href: string, text: string) =>
    `<a href="${href}"${page.here === href ? ' aria-current="page"' : ''}>${text}</a>`
  const isDocumentation = page.here !== '/'
  const classes = `frame${page.aside === undefined ? '' : ' with-aside'}${page.outline === undefined ? '' : ' with-outline'}`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escapeHtml(page.description)}">
<title>${escapeHtml(page.title)}</title>
<link rel="icon" href="data:image/svg+xml,${ICON}">
${page.markdown === undefined ? '' : `<link rel="alternate" type="text/markdown" href="${escapeHtml(page.markdown)}">\n`}<script src="${SCRIPT_PATH}" defer></script>
<style>${STYLE}${page.style ?? ''}</style>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header><div class="bar"><a class="brand" href="/">${LOGO}<span>Tollgate</span></a><nav aria-label="Main">${link('/', 'Prices')}${link('/docs/guides', 'Guides')}${link('/docs', 'API reference')}</nav>${isDocumentation ? `<div class="search" data-index="${SEARCH_INDEX_PATH}"></div>` : ''}</div></header>
<div class="${classes}">
${page.aside ?? ''}
<div class="page">
${page.outline ?? ''}
<main id="main">
${page.main}
</main>
</div>
</div>
<footer><div class="bar"><a href="/openapi.json">openapi.json</a><a href="/api/v1/public/models">Prices as JSON</a><a href="/llms.txt">llms.txt</a></div></footer>
</body>
</html>
`
}

/** Links that are always seen on a wide screen, and folded up below it. Content is HTML, the rest text. */
export function foldedList(list: {
  readonly kind: 'toc' | 'outline'
  readonly label: string
  readonly summary: string
  readonly content: string
}): string {
  return `<details class="${list.kind}"><summary>${escapeHtml(list.summary)}</summary><nav aria-label="${escapeHtml(list.label)}">${list.content}</nav></details>`
}

/** A block of code: it scrolls sideways where it is wide, and is reached by keyboard. `code` is HTML. */
export function codeBlock(code: string, caption?: string): string {
  const title = caption === undefined ? '' : `<figcaption>${escapeHtml(caption)}</figcaption>`
  return `<figure class="code">${title}<pre tabindex="0" role="group" aria-label="${escapeHtml(caption ?? 'Code')}"><code>${code}</code></pre></figure>`
}

const LOGO =
  '<svg width="22" height="22" viewBox="0 0 22 22" aria-hidden="true"><path d="M4 20V5M2 20h6" stroke="currentColor" stroke-width="2.4" stroke-linecap="round"/><path d="M5 7.2 20 3" stroke="var(--accent)" stroke-width="3" stroke-linecap="round"/></svg>'

const ICON = encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 22 22"><path d="M4 20V5M2 20h6" stroke="#64748b" stroke-width="2.4" stroke-linecap="round"/><path d="M5 7.2 20 3" stroke="#0f766e" stroke-width="3" stroke-linecap="round"/></svg>',
)
