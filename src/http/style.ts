import { TABLE_WIDTHS } from './fittedTable.ts'

/** Rows as cards: every cell below the title of its column. */
function cards(at: string): string {
  return `${at} thead{display:none}${at} :is(table,tbody,th,td){display:block;width:auto}${at} tr{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,16rem),1fr));gap:0 1.5rem;border:1px solid var(--line);border-radius:8px;padding:.55rem .8rem;margin:.6rem 0}${at} :is(th,td){border:0;padding:.2rem 0;text-align:left}${at} :is(th,td):empty{display:none}${at} tr>:last-child:nth-child(n+6){grid-column:1/-1}${at} table{--title:block}`
}

/** The stylesheet of every page. Colours of the dark scheme are a second palette. */
export const STYLE = `
:root{color-scheme:light dark;--ink:#17212b;--soft:#566373;--line:#dfe4ea;--ground:#fbfcfd;--raised:#fff;--accent:#0f766e;--accent-soft:#e3f4f1;--warn:#a33a1f;--code:#f1f4f7}
@media (prefers-color-scheme:dark){:root{--ink:#e7ecf1;--soft:#9dabb9;--line:#2a343e;--ground:#10161c;--raised:#161e26;--accent:#5eead4;--accent-soft:#143630;--warn:#fca58a;--code:#1b242d}}
*{box-sizing:border-box}
img{max-width:100%;height:auto}
html{scroll-behavior:smooth;scroll-padding-top:1rem}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:break-word}
a{color:var(--accent);text-underline-offset:.18em}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:3px}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.skip{position:absolute;left:-999px;top:0;background:var(--raised);padding:.5rem 1rem;z-index:1}
.skip:focus{left:0}
header{border-bottom:1px solid var(--line);background:var(--raised)}
footer{border-top:1px solid var(--line);margin-top:4rem;font-size:.875rem}
.bar{max-width:92rem;margin:0 auto;padding:.8rem 1.5rem;display:flex;flex-wrap:wrap;gap:.5rem 1.75rem;align-items:center}
.brand{display:inline-flex;gap:.5rem;align-items:center;font-weight:650;color:inherit;text-decoration:none;letter-spacing:-.01em}
nav[aria-label=Main]{display:flex;gap:.2rem 1.4rem;flex-wrap:wrap}
nav[aria-label=Main] a{color:var(--soft);text-decoration:none;padding:.15rem 0;border-bottom:2px solid transparent}
nav[aria-label=Main] a:hover{color:var(--ink)}
nav[aria-label=Main] a[aria-current]{color:var(--ink);border-color:var(--accent)}
.frame{max-width:92rem;margin:0 auto;padding:2rem 1.5rem 0}
main{min-width:0}
h1{font-size:1.85rem;line-height:1.2;letter-spacing:-.02em;margin:.2rem 0 .5rem}
h2{font-size:1.3rem;letter-spacing:-.01em;margin:2.6rem 0 .6rem}
h3{font-size:1.02rem;margin:1.6rem 0 .4rem}
p{max-width:46rem;margin:.5rem 0}
main>ul,main>ol{max-width:48rem}
.lead{color:var(--soft)}
code{font:.875em/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;background:var(--code);border-radius:4px;padding:.1em .32em}
.whole{white-space:nowrap}
.code{display:grid;grid-template-columns:minmax(0,1fr) auto;align-items:start;background:var(--code);border-radius:8px;margin:.8rem 0}
.code figcaption{grid-column:1/-1;font:600 .75rem/1 ui-monospace,Menlo,Consolas,monospace;color:var(--soft);padding:.75rem 1rem 0}
pre{background:var(--code);border-radius:8px;padding:.9rem 1rem;margin:0;overflow-x:auto;white-space:pre;scrollbar-width:thin}
pre code,.code pre{background:none}
pre code{padding:0}
.copy{font:600 .75rem/1 system-ui,sans-serif;color:var(--soft);background:var(--raised);border:1px solid var(--line);border-radius:6px;padding:.35rem .5rem;cursor:pointer}
.copy:hover{color:var(--accent);border-color:var(--accent)}
.code .copy{margin:.5rem .5rem .5rem 0}
.anchor{color:var(--soft);text-decoration:none;font-weight:400;opacity:0;padding:0 .3em}
:is(h2,h3,h4):hover .anchor,.anchor:focus{opacity:1}
@media (hover:none){.anchor{opacity:.6}}
table{border-collapse:collapse;width:100%}
th{font-size:.8125rem;font-weight:600;color:var(--soft);text-align:left}
th,td{padding:.6rem .75rem;border-bottom:1px solid var(--line);vertical-align:top}
.fitted{container-type:inline-size;margin:.8rem 0}
.fitted :is(td,th){padding:.5rem 1.1rem .5rem 0}
.fitted td,.fitted tbody th{font-size:.9rem}
.fitted tbody th{font-weight:400;color:inherit}
.fitted :is(td,th)::before{content:attr(data-label);display:var(--title,none);font-size:.75rem;font-weight:400;color:var(--soft)}
.fields td:nth-child(2){color:var(--soft)}
.fitted .fields td:nth-child(2)::before{content:"Type"}
.fitted .fields td:nth-child(3)::before{content:"Meaning"}
${cards('.cards')}
${TABLE_WIDTHS.map((width) => `@container (width<${width}rem){${cards(`.from-${width}`)}}`).join('\n')}
.toc,.outline{border:1px solid var(--line);border-radius:8px;padding:.5rem 1rem;margin-bottom:1rem;font-size:.8125rem}
.toc>summary,.outline>summary{cursor:pointer;font-weight:600}
.toc h2{font-size:.8125rem;color:var(--soft);margin:1.1rem 0 .3rem}
.toc ul,.outline ul{list-style:none;margin:0;padding:0}
.toc a,.outline a{display:block;padding:.16rem 0;color:inherit;text-decoration:none}
.toc a:hover,.outline a:hover{color:var(--accent)}
.toc a[aria-current]{color:var(--accent);font-weight:600}
.outline .deeper{padding-left:.9rem;color:var(--soft)}
.beside-title{display:none;font-weight:600;color:var(--soft);margin:0 0 .3rem}
@media (min-width:62rem){.with-aside{display:grid;grid-template-columns:15rem minmax(0,1fr);gap:0 2.75rem}}
@supports selector(::details-content){
@media (min-width:62rem){.toc{position:sticky;top:0;max-height:100vh;overflow-y:auto;border:0;padding:0 0 2rem;align-self:start}.toc>summary{display:none}.toc::details-content{content-visibility:visible}}
@media (min-width:80rem){.with-outline .page{display:grid;grid-template-columns:minmax(0,1fr) 12.5rem;gap:0 2.5rem}.with-outline main{grid-column:1;grid-row:1}.outline{grid-column:2;grid-row:1;position:sticky;top:0;max-height:100vh;overflow-y:auto;border:0;border-radius:0;padding:.6rem 0 2rem;align-self:start}.outline>summary{display:none}.outline::details-content{content-visibility:visible}.beside-title{display:block}}
}
.guides{list-style:none;padding:0}
.guides li{margin:.7rem 0}
.search{margin-left:auto;position:relative;flex:0 1 18rem;min-width:11rem}
.search:empty{display:none}
.search input{width:100%;font:inherit;font-size:.875rem;color:var(--ink);background:var(--ground);border:1px solid var(--line);border-radius:7px;padding:.35rem .7rem;height:2.1rem}
.found{position:absolute;right:0;top:2.5rem;width:min(34rem,calc(100vw - 3rem));max-height:70vh;overflow-y:auto;background:var(--raised);border:1px solid var(--line);border-radius:9px;box-shadow:0 8px 28px rgb(0 0 0/.18);z-index:2;padding:.35rem}
.found[hidden]{display:none}
.found a{display:block;padding:.45rem .6rem;border-radius:6px;color:inherit;text-decoration:none;font-size:.875rem}
.found a[aria-selected=true]{background:var(--accent-soft)}
.found b{font-weight:600}
.found small{color:var(--soft);display:block}
.found p{margin:.5rem .6rem;font-size:.875rem;color:var(--soft)}
@media (max-width:47.9rem){.search{flex:1 1 100%;margin:0}.found{left:0;width:auto}}
`
