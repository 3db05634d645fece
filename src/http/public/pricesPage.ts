import { formatUsd } from '../../core/money.ts'
import { breakableCode } from '../docs/breakable.ts'
import { escapeHtml } from '../escape.ts'
import { pageShell } from '../shell.ts'
import type { Listing } from './endpoints.ts'
import type { FurtherPrice } from './furtherPrices.ts'
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

/**
 * The public prices as a page, rendered here: its script only adds copy buttons.
 * @param address the base URL by which the reader came; undefined: unknown
 */
export function pricesPage(
  { entries, further }: Pick<Listing, 'entries' | 'further'>,
  filter: PriceFilter,
  address: string | undefined,
): string {
  const shown = entries.filter((entry) => matches(entry, filter))
  return pageShell({
    title: 'Model prices · Tollgate',
    description: 'Models and prices of this gateway in US dollars per million tokens.',
    here: '/',
    style: PRICES_STYLE,
    main: `<h1>Model prices</h1>
<p class="lead">This gateway offers the models below through one API, in the formats of OpenAI and Anthropic. Calls are paid from a prepaid balance.</p>
<dl class="begin"><div><dt>Base URL</dt><dd><code data-copy>${escapeHtml(address ?? '')}/v1</code></dd></div><div><dt>API key</dt><dd>Ask the operator of this gateway for one. <a href="/docs/clients">How to set up a client</a></dd></div></dl>
${filterForm(entries, filter)}
<p class="count" role="status">${count(shown.length, entries.length)}</p>
${shown.length === 0 ? '' : priceTable(shown, further, columnsFor(entries))}`,
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

/** Columns that would say the same in every row are left out. */
interface Columns {
  readonly provider: boolean
  readonly official: boolean
}

function columnsFor(entries: readonly PublicModel[]): Columns {
  return {
    provider: new Set(entries.map(({ provider }) => provider)).size > 1,
    official: entries.some(({ savings_percent: percent }) => percent !== 0),
  }
}

function priceTable(
  entries: readonly PublicModel[],
  further: Listing['further'],
  { provider, official }: Columns,
): string {
  const head = [
    '<th scope="col">Model</th>',
    ...(provider ? ['<th scope="col">Provider</th>'] : []),
    ...['Context', 'Input', 'Output', ...(official ? ['Official price'] : [])].map(
      (title) => `<th scope="col" class="number">${title}</th>`,
    ),
  ]
  const rows = entries.map((entry) => row(entry, further.get(entry.model_id) ?? [], { provider, official }))
  return `<p class="unit">${unitLine(entries, further, official)}</p>
<div class="priced" role="group" aria-label="Prices"><table class="prices">
<caption class="hidden">Prices in US dollars per 1 million tokens</caption>
<thead><tr>${head.join('')}</tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table></div>`
}

/** What the numbers are. */
function unitLine(entries: readonly PublicModel[], further: Listing['further'], official: boolean): string {
  const hasTiers = entries.some(({ model_id: id }) =>
    further.get(id)?.some(({ abovePromptTokens }) => abovePromptTokens > 0),
  )
  const isOfficial = !official && entries.every(({ official_price: price }) => price !== undefined)
  return [
    'US dollars per 1&nbsp;million tokens; context in tokens.',
    ...(isOfficial ? ['These are the providers’ own list prices.'] : []),
    ...(official ? ['The official price is the provider’s own list price, input and output.'] : []),
    ...(hasTiers ? ['“Above” a number of prompt tokens, the whole request has the second price.'] : []),
  ].join(' ')
}

function row(entry: PublicModel, further: readonly FurtherPrice[], { provider, official }: Columns): string {
  const { our_price: ours } = entry
  const capabilities = entry.capabilities
    .map((capability) => `<li>${escapeHtml(capability.replaceAll('_', ' '))}</li>`)
    .join('')
  const of = (direction: FurtherPrice['direction']) =>
    further
      .filter((price) => price.direction === direction)
      .map(furtherLine)
      .join('')
  return `<tr>
<th scope="row"><span class="name">${escapeHtml(entry.display_name)}</span><span class="id"><code data-copy>${breakableCode(escapeHtml(entry.model_id))}</code></span>${capabilities === '' ? '' : `<ul aria-label="Capabilities">${capabilities}</ul>`}</th>
${provider ? `<td data-label="Provider"><span class="whole">${escapeHtml(entry.provider)}</span></td>\n` : ''}<td data-label="Context" class="number">${tokens(entry.context_length)}</td>
<td data-label="Input" class="number"><div><b>${dollars(ours.input)}</b>${of('input')}</div></td>
<td data-label="Output" class="number"><div><b>${dollars(ours.output)}</b>${of('output')}</div></td>${official ? `\n<td data-label="Official price" class="number">${officialPrice(entry)}</td>` : ''}
</tr>`
}

/** `cached $0.125`, `above 200,000: $2.50`, `cached, above 200,000: $0.25`. */
function furtherLine({ kind, abovePromptTokens, price }: FurtherPrice): string {
  const words = [
    ...(kind === 'all' ? [] : [kind]),
    ...(abovePromptTokens === 0 ? [] : [`above ${tokens(abovePromptTokens)}`]),
  ].join(', ')
  return `<small>${words} <b>$${formatUsd(price)}</b></small>`
}

function officialPrice(entry: PublicModel): string {
  const { official_price: official } = entry
  if (!official) return '<div class="none">none known</div>'
  return `<div>${dollars(official.input)} <span aria-hidden="true">/</span><span class="hidden"> input, </span> ${dollars(official.output)}<span class="hidden"> output</span><small>${savings(entry)}</small></div>`
}

function savings({ savings_percent: percent }: PublicModel): string {
  if (percent > 0) return `<span class="saves">you save ${percent}%</span>`
  if (percent < 0) return `<span class="costlier">${-percent}% more here</span>`
  return 'same price'
}

/** 128000 → `128,000`. */
function tokens(count: number): string {
  return count.toString().replace(/\B(?=(\d{3})+$)/g, ',')
}

/** At least two decimals, as many as the price has. */
function dollars(amount: number): string {
  const text = amount.toFixed(9).replace(/0+$/, '')
  const decimals = text.length - text.indexOf('.') - 1
  return `$${decimals < 2 ? amount.toFixed(2) : text}`
}

const PRICES_STYLE = `
.frame{max-width:76rem}
.begin{display:flex;flex-wrap:wrap;gap:.8rem 3rem;margin:1.2rem 0 0}
.begin dt{font-size:.8125rem;font-weight:600;color:var(--soft)}
.begin dd{margin:.15rem 0 0}
.begin .copy,.id .copy{margin-left:.4rem}
form{display:flex;flex-wrap:wrap;gap:.75rem;align-items:end;margin:1.6rem 0 .4rem}
label{display:grid;gap:.25rem;font-size:.8125rem;font-weight:600;color:var(--soft)}
label.wide{flex:1 1 16rem;max-width:26rem}
form input,form select,form button{font:inherit;font-size:.9375rem;font-weight:400;color:var(--ink);background:var(--raised);border:1px solid var(--line);border-radius:7px;padding:.45rem .7rem;height:2.5rem;max-width:100%}
form button{font-weight:600;cursor:pointer}
form button:hover{border-color:var(--accent)}
.count,.unit{color:var(--soft);font-size:.875rem}
.unit{max-width:none}
.priced{container-type:inline-size}
.prices{background:var(--raised);border:1px solid var(--line);border-radius:10px;border-spacing:0;border-collapse:separate;overflow:hidden;margin-top:.6rem}
.prices thead th{background:var(--code)}
.prices tbody tr:last-child>*{border-bottom:0}
.prices tbody th{font-weight:400;color:inherit;font-size:1rem}
.name{display:block;font-weight:600}
.number{text-align:right;font-variant-numeric:tabular-nums}
.number>*,.number b{white-space:nowrap}
.number small{display:block;color:var(--soft);font-size:.8125rem}
.number small b{font-weight:600}
.none{color:var(--soft)}
.saves{color:var(--accent);font-weight:600}
.costlier{color:var(--warn)}
.prices ul{list-style:none;display:flex;flex-wrap:wrap;gap:.3rem .7rem;padding:0;margin:.25rem 0 0;font-size:.8125rem;color:var(--soft)}
@container (width<60rem){
.prices thead{display:none}
.prices tbody,.prices tr,.prices th,.prices td{display:block}
.prices{display:block}
.prices td{display:flex;justify-content:space-between;gap:1rem;border:0;padding:.2rem .9rem}
.prices td::before{content:attr(data-label);color:var(--soft);font-weight:400;flex:none}
.prices tbody th{border:0;padding:.9rem .9rem .4rem}
.prices tr{border-bottom:1px solid var(--line);padding-bottom:.8rem}
.prices tr:last-child{border:0}
}
`
