import { escapeHtml } from './escape.ts'

/** The frame of every page for people: one stylesheet, no scripts, nothing from elsewhere. */
export function pageShell(page: {
  readonly title: string
  readonly description: string
  /** Which entry of the navigation is this page. */
  readonly here: '/' | '/docs' | '/docs/guides' | undefined
  /** HTML. */
  readonly main: string
  /** HTML before the main part, such as a table of contents. */
  readonly aside?: string
  readonly style?: string
}): string {
  const link = (href: string, text: string) =>
    `<a href="${href}"${page.here === href ? ' aria-current="page"' : ''}>${text}</a>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escapeHtml(page.description)}">
<title>${escapeHtml(page.title)}</title>
<link rel="icon" href="data:image/svg+xml,${ICON}">
<style>${STYLE}${page.style ?? ''}</style>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header><div class="bar"><a class="brand" href="/">${LOGO}<span>Tollgate</span></a><nav aria-label="Main">${link('/', 'Prices')}${link('/docs/guides', 'Guides')}${link('/docs', 'API reference')}</nav></div></header>
<div class="frame${page.aside === undefined ? '' : ' with-aside'}">
${page.aside ?? ''}
<main id="main">
${page.main}
</main>
</div>
<footer><div class="bar"><a href="/openapi.json">openapi.json</a><a href="/api/v1/public/models">Prices as JSON</a></div></footer>
</body>
</html>
`
}

/** A box that scrolls sideways where its content is wide: reached by keyboard, too. `label` tells what is in it. */
export function scrollBox(label: string, content: string): string {
  return `<div class="scroll" role="group" aria-label="${escapeHtml(label)}" tabindex="0">${content}</div>`
}

const LOGO =
  '<svg width="22" height="22" viewBox="0 0 22 22" aria-hidden="true"><path d="M4 20V5M2 20h6" stroke="currentColor" stroke-width="2.4" stroke-linecap="round"/><path d="M5 7.2 20 3" stroke="var(--accent)" stroke-width="3" stroke-linecap="round"/></svg>'

const ICON = encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 22 22"><path d="M4 20V5M2 20h6" stroke="#64748b" stroke-width="2.4" stroke-linecap="round"/><path d="M5 7.2 20 3" stroke="#0f766e" stroke-width="3" stroke-linecap="round"/></svg>',
)

const STYLE = `
:root{color-scheme:light dark;--ink:#17212b;--soft:#566373;--line:#dfe4ea;--ground:#fbfcfd;--raised:#fff;--accent:#0f766e;--accent-soft:#e3f4f1;--warn:#a33a1f;--code:#f1f4f7}
@media (prefers-color-scheme:dark){:root{--ink:#e7ecf1;--soft:#9dabb9;--line:#2a343e;--ground:#10161c;--raised:#161e26;--accent:#5eead4;--accent-soft:#143630;--warn:#fca58a;--code:#1b242d}}
*{box-sizing:border-box}
html{scroll-behavior:smooth;scroll-padding-top:1rem}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
a{color:var(--accent);text-underline-offset:.18em}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:3px}
.skip{position:absolute;left:-999px;top:0;background:var(--raised);padding:.5rem 1rem;z-index:1}
.skip:focus{left:0}
header{border-bottom:1px solid var(--line);background:var(--raised)}
footer{border-top:1px solid var(--line);margin-top:4rem;font-size:.875rem}
.bar{max-width:76rem;margin:0 auto;padding:.8rem 1.5rem;display:flex;flex-wrap:wrap;gap:.5rem 1.75rem;align-items:center}
.brand{display:inline-flex;gap:.5rem;align-items:center;font-weight:650;color:inherit;text-decoration:none;letter-spacing:-.01em}
nav[aria-label=Main]{display:flex;gap:1.4rem}
nav[aria-label=Main] a{color:var(--soft);text-decoration:none;padding:.15rem 0;border-bottom:2px solid transparent}
nav[aria-label=Main] a:hover{color:var(--ink)}
nav[aria-label=Main] a[aria-current]{color:var(--ink);border-color:var(--accent)}
.frame{max-width:76rem;margin:0 auto;padding:2rem 1.5rem 0}
h1{font-size:1.85rem;line-height:1.2;letter-spacing:-.02em;margin:.2rem 0 .5rem;overflow-wrap:anywhere}
h2{font-size:1.3rem;letter-spacing:-.01em;margin:2.6rem 0 .6rem}
h3{font-size:1.02rem;margin:1.6rem 0 .4rem}
p{max-width:46rem;margin:.5rem 0}
.lead{color:var(--soft)}
code{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;background:var(--code);border-radius:4px;padding:.1em .32em;overflow-wrap:anywhere}
pre{background:var(--code);border-radius:8px;padding:.9rem 1rem;white-space:pre-wrap}
pre code{background:none;padding:0}
table{border-collapse:collapse;width:100%}
th{font-size:.8125rem;font-weight:600;color:var(--soft);text-align:left}
th,td{padding:.6rem .75rem;border-bottom:1px solid var(--line);vertical-align:top}
.scroll{overflow-x:auto}
.scroll table:not(.fields) code{overflow-wrap:break-word}
@media (min-width:62rem){.with-aside{display:grid;grid-template-columns:16.5rem minmax(0,1fr);gap:3rem}.toc{position:sticky;top:0;max-height:100vh;overflow-y:auto;padding-bottom:2rem}}
.toc{max-height:15rem;overflow-y:auto;border:1px solid var(--line);border-radius:8px;padding:0 1rem 1rem;margin-bottom:1.5rem}
@media (min-width:62rem){.toc{max-height:100vh;border:0;padding:0 0 2rem}}
.toc h2{font-size:.8125rem;color:var(--soft);margin:1.1rem 0 .3rem}
.toc ul{list-style:none;margin:0;padding:0;font-size:.8125rem}
.toc a{display:block;padding:.16rem 0;color:inherit;text-decoration:none}
.toc a:hover{color:var(--accent)}
.toc a[aria-current]{color:var(--accent);font-weight:600}
.guides{list-style:none;padding:0}
.guides li{margin:.7rem 0}
`
