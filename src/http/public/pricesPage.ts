import { escapeHtml } from '../escape.ts'
import { pageShell, scrollBox } from '../shell.ts'
import type { PublicModel } from './listing.ts'

/** What the visitor asked to see. */
export interface PriceFilter {
  /** Words that id, name or provider must hold. */
  readonly search: string
  /** A category, or empty for all. */
  readonly category: string
}

const SEARCH_LENGTH_MAX = 100

export function priceFilter(query: Readonly<Record<string, string | undefined>>): PriceFilter {
  return { search: (query['q'] ?? '').trim().slice(0, SEARCH_LENGTH_MAX), category: query['category'] ?? '' }
}

/** The public prices as a page: rendered here, readable without scripts. */
export function pricesPage(entries: readonly PublicModel[], filter: PriceFilter): string {
  const shown = entries.filter((entry) => matches(entry, filter))
  return pageShell({
    title: 'Model prices · Tollgate',
    description: 'Models and prices in US dollars per million tokens, next to the official prices.',
    here: '/',
    style: STYLE,
    main: `<h1>Model prices</h1>
<p class="lead">US dollars per 1&nbsp;million tokens. The provider’s own list price is next to it.</p>
${filterForm(entries, filter)}
<p class="count" role="status">${count(shown.length, entries.length)}</p>
${shown.length === 0 ? '' : priceTable(shown)}`,
  })
}

function matches(entry: PublicModel, { search, category }: PriceFilter): boolean {
  if (category !== '' && entry.category !== category) return false
  const text = `${entry.model_id} ${entry.display_name} ${entry.provider}`.toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

function count(shown: number, all: number): string {
  if (all === 0) return 'No model is configured yet.'
  if (shown === 0) return 'No model matches. <a href="/">Show all</a>'
  if (shown === all) return `${all} ${all === 1 ? 'model' : 'models'}`
  return `${shown} of ${all} models. <a href="/">Show all</a>`
}

function filterForm(entries: readonly PublicModel[], filter: PriceFilter): string {
  const categories = [...new Set(entries.map((entry) => entry.category))].sort()
  const options = ['', ...categories].map(
    (category) =>
      `<option value="${escapeHtml(category)}"${category === filter.category ? ' selected' : ''}>${escapeHtml(category === '' ? 'All kinds' : category)}</option>`,
  )
  const kinds =
    categories.length < 2
      ? ''
      : `<label><span>Kind</span><select name="category">${options.join('')}</select></label>`
  return `<form role="search" action="/" method="get">
<label class="wide"><span>Find a model</span><input type="search" name="q" value="${escapeHtml(filter.search)}" placeholder="Name, id or provider" maxlength="${SEARCH_LENGTH_MAX}"></label>
${kinds}<button>Filter</button>
</form>`
}

function priceTable(entries: readonly PublicModel[]): string {
  return scrollBox(
    'Prices',
    `<table class="prices">
<caption class="hidden">Prices in US dollars per 1 million tokens</caption>
<thead><tr><th scope="col">Model</th><th scope="col">Provider</th><th scope="col" class="number">Context</th><th scope="col" class="number">Input</th><th scope="col" class="number">Output</th><th scope="col" class="number">Official price</th><th scope="col" class="number">You save</th></tr></thead>
<tbody>
${entries.map(row).join('\n')}
</tbody>
</table>`,
  )
}

function row(entry: PublicModel): string {
  const { our_price: ours, official_price: official } = entry
  const capabilities = entry.capabilities
    .map((capability) => `<li>${escapeHtml(capability.replaceAll('_', ' '))}</li>`)
    .join('')
  const officialCell = official
    ? `<span>${dollars(official.input)} <span aria-hidden="true">/</span><span class="hidden"> input, </span> ${dollars(official.output)}<span class="hidden"> output</span></span>`
    : '<span class="none">none known</span>'
  return `<tr>
<th scope="row"><span class="name">${escapeHtml(entry.display_name)}</span><code>${escapeHtml(entry.model_id)}</code>${capabilities === '' ? '' : `<ul aria-label="Capabilities">${capabilities}</ul>`}</th>
<td data-label="Provider">${escapeHtml(entry.provider)}</td>
<td data-label="Context" class="number">${tokens(entry.context_length)}</td>
<td data-label="Input" class="number strong">${dollars(ours.input)}</td>
<td data-label="Output" class="number strong">${dollars(ours.output)}</td>
<td data-label="Official price" class="number soft">${officialCell}</td>
<td data-label="You save" class="number">${savings(entry)}</td>
</tr>`
}

function savings({ official_price: official, savings_percent: percent }: PublicModel): string {
  if (!official) return '<span class="none">–</span>'
  if (percent > 0) return `<span class="saves">${percent}&nbsp;%</span>`
  if (percent < 0) return `<span class="costlier">${-percent}&nbsp;% more</span>`
  return 'same price'
}

const NARROW_SPACE = ' '

/** 128000 → `128 000`. */
function tokens(count: number): string {
  return count.toString().replace(/\B(?=(\d{3})+$)/g, NARROW_SPACE)
}

/** At least two decimals, as many as the price has. */
function dollars(amount: number): string {
  const text = amount.toFixed(9).replace(/0+$/, '')
  const decimals = text.length - text.indexOf('.') - 1
  return `$${decimals < 2 ? amount.toFixed(2) : text}`
}

const STYLE = `
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
form{display:flex;flex-wrap:wrap;gap:.75rem;align-items:end;margin:1.6rem 0 .4rem}
label{display:grid;gap:.25rem;font-size:.8125rem;font-weight:600;color:var(--soft)}
label.wide{flex:1 1 16rem;max-width:26rem}
input,select,button{font:inherit;font-size:.9375rem;font-weight:400;color:var(--ink);background:var(--raised);border:1px solid var(--line);border-radius:7px;padding:.45rem .7rem;height:2.5rem}
button{font-weight:600;cursor:pointer}
button:hover{border-color:var(--accent)}
.count{color:var(--soft);font-size:.875rem}
.prices{background:var(--raised);border:1px solid var(--line);border-radius:10px;border-spacing:0;border-collapse:separate;overflow:hidden;margin-top:.6rem}
.prices thead th{background:var(--code)}
.prices tbody tr:last-child>*{border-bottom:0}
.prices tbody th{font-weight:400;color:inherit;font-size:1rem}
.prices th,.prices td{overflow-wrap:anywhere}
.prices tbody th{min-width:14rem}
.prices td[data-label=Provider]{min-width:6rem}
.name{display:block;font-weight:600}
.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.strong{font-weight:650}
.soft,.none{color:var(--soft)}
.saves{color:var(--accent);background:var(--accent-soft);border-radius:99px;padding:.1rem .55rem;font-weight:600}
.costlier{color:var(--warn)}
.prices ul{list-style:none;display:flex;flex-wrap:wrap;gap:.3rem .7rem;padding:0;margin:.25rem 0 0;font-size:.8125rem;color:var(--soft)}
@media (max-width:46rem){
.prices thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.prices tr,.prices th,.prices td{display:block;text-align:left}
.prices td{display:flex;justify-content:space-between;border:0;padding:.2rem .9rem}
.prices td::before{content:attr(data-label);color:var(--soft);font-weight:400;flex:none}
.prices tbody th{border:0;padding:.9rem .9rem .4rem;min-width:0}
.prices td[data-label=Provider]{min-width:0;gap:1rem}
.prices tr{border-bottom:1px solid var(--line);padding-bottom:.8rem}
.prices tr:last-child{border:0}
}
`
