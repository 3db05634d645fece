import { receiptText } from '../src/cli/commands/receiptText.ts'
import { receiptOf } from '../test/support/receiptOf.ts'
import { answers, openaiUsage } from '../test/support/scriptedProvider.ts'
import { startWorld } from '../test/support/world.ts'

/** What the picture shows in place of what differs from run to run. */
const FIXED_ID = '01KAJ0VWJ0QH7T3N5M8C2X4E6R'
const AT = '2026-11-20T12:00:00Z'
/** How long the call takes in the picture. */
const TOOK_MS = 812
const DISCOUNTS = {
  'openai/gpt-5.5': '10%',
  'anthropic/claude-sonnet-5': '10%',
  'google/gemini-2.5-pro': '15%',
  'mistral/mistral-large-2512': '5%',
} as const
const CALLED = 'openai/gpt-5.5'

interface PriceRow {
  readonly model_id: string
  readonly our_price: { readonly input: number; readonly output: number }
  readonly official_price: { readonly input: number; readonly output: number }
  readonly savings_percent: number
}

/**
 * The picture of the README, as SVG: the public prices of a gateway, and the receipt of one call. It starts that gateway, and a
 * provider that reports usage, and asks both for what they show.
 */
export async function firstPicture(): Promise<string> {
  const answer = answers({
    pieces: ['Three ferries leave before noon.'],
    usage: openaiUsage(1_840, 412, { prompt_tokens_details: { cached_tokens: 1_024 } }),
  })
  await using world = await startWorld({
    at: AT,
    provider: () => {
      world.clock.set(Date.parse(AT) + TOOK_MS)
      return answer
    },
    config: (provider) => ({
      providers: {
        openai: { api_key: 'sk-of-the-picture', base_url: provider.baseUrl },
        anthropic: { api_key: 'sk-ant-of-the-picture' },
        google: { api_key: 'key-of-the-picture' },
        mistral: { api_key: 'key-of-the-picture' },
      },
      models: Object.entries(DISCOUNTS).map(([id, discount]) => ({ id, our_price: { discount } })),
    }),
  })
  const prices = (await (await world.request('GET', '/api/v1/public/models')).json()) as readonly PriceRow[]
  const response = await world.chat({ model: CALLED })
  const { id } = (await response.json()) as { readonly id: string }
  await world.settled()
  const receipt = receiptText(await receiptOf(world.operations, id)).replaceAll(
    /\b(chatcmpl-|ws_|key_)\w+/g,
    `$1${FIXED_ID}`,
  )
  return drawn(priceLines(prices), receipt.trimEnd().split('\n'))
}

/** A heading, then a line for each model. */
function priceLines(rows: readonly PriceRow[]): string[] {
  const cells = rows.map((row) => [
    row.model_id,
    dollars(row.our_price.input),
    dollars(row.our_price.output),
    `${dollars(row.official_price.input)} / ${dollars(row.official_price.output)}`,
    `${row.savings_percent}%`,
  ])
  const table = [['MODEL', 'INPUT', 'OUTPUT', 'OFFICIAL', 'YOU SAVE'], ...cells]
  const widths =
    table[0]?.map((_, column) => Math.max(...table.map((line) => line[column]?.length ?? 0))) ?? []
  return table.map((line) =>
    line
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('   '),
  )
}

function dollars(amount: number): string {
  const [whole = '', part = ''] = String(amount).split('.')
  return `$${whole}.${part.padEnd(2, '0')}`
}

const LINE_PX = 19
const CHARACTER_PX = 7.83
const MARGIN_PX = 24
const TITLE_PX = 44

/** Two panels of text, one above the other. */
function drawn(prices: readonly string[], receipt: readonly string[]): string {
  const panels = [
    { title: 'Prices, for everyone: GET / (US dollars per 1,000,000 tokens)', lines: prices },
    { title: 'The receipt of one call: tollgate request show ID', lines: receipt },
  ]
  const columns = Math.max(...panels.flatMap(({ lines }) => lines.map((line) => line.length)))
  const width = Math.ceil(columns * CHARACTER_PX + 2 * MARGIN_PX)
  let y = 0
  const parts = panels.map(({ title, lines }) => {
    const top = y
    const height = TITLE_PX + lines.length * LINE_PX + MARGIN_PX / 2
    y += height + MARGIN_PX / 2
    const text = lines.map(
      (line, i) =>
        `<text class="t" x="${MARGIN_PX}" y="${top + TITLE_PX + (i + 0.75) * LINE_PX}" xml:space="preserve">${escaped(line)}</text>`,
    )
    return [
      `<rect class="p" x="0.5" y="${top + 0.5}" width="${width - 1}" height="${height - 1}" rx="8"/>`,
      `<text class="h" x="${MARGIN_PX}" y="${top + 28}">${escaped(title)}</text>`,
      ...text,
    ].join('\n')
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" width="${width}" height="${y}" role="img" aria-label="A price page and the receipt of one call">
<style>
.p{fill:#fbfcfd;stroke:#dfe4ea}.h{fill:#0f766e;font:600 14px system-ui,sans-serif}.t{fill:#17212b;font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
@media (prefers-color-scheme:dark){.p{fill:#10161c;stroke:#2a343e}.h{fill:#5eead4}.t{fill:#e7ecf1}}
</style>
${parts.join('\n')}
</svg>
`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
