import { expect } from 'bun:test'
import { parseUsd } from '../../../src/core/money.ts'
import type { ReceiptDetailView } from '../../../src/operations/receipt.ts'
import { checkedFetch } from '../../support/checkedFetch.ts'
import { jsonOf } from '../../support/readAnswer.ts'
import type { World } from '../../support/world.ts'

/** What the standard messages and "Hello world" count as when nobody reports it. */
export const COUNTED_PROMPT = 4
export const COUNTED_HELLO_WORLD = 2

/** What so many tokens cost, as the books write it. */
export function cost(promptTokens: number, completionTokens: number): string {
  return usd(BigInt(promptTokens) * 500n + BigInt(completionTokens) * 1500n)
}

/** Nano-dollars as the books write them. */
export function usd(nano: bigint): string {
  const digits = nano.toString().padStart(10, '0')
  const fraction = digits.slice(-9)
  return `${digits.slice(0, -9)}.${fraction.slice(0, 2)}${fraction.slice(2).replace(/0+$/, '')}`
}

export function nanoOf(amount: string): bigint {
  const nano = parseUsd(amount)
  if (nano === undefined) throw new Error(`no amount: ${amount}`)
  return nano
}

/** The receipt of an answer, asked for with the caller's own key. */
export async function receiptOf(world: World, answer: Response | string): Promise<ReceiptDetailView> {
  const id = typeof answer === 'string' ? answer : (answer.headers.get('x-request-id') ?? '')
  const response = await world.request('GET', `/v1/generation?id=${id}`)
  expect(response.status).toBe(200)
  return (await jsonOf(response)) as unknown as ReceiptDetailView
}

/** The receipt of the only chat request there has been: for callers that saw no answer. */
export async function onlyReceipt(world: World): Promise<ReceiptDetailView> {
  const { data } = await world.operations.requests({})
  expect(data).toHaveLength(1)
  return receiptOf(world, data[0]?.id ?? '')
}

/** The lines of a receipt add up to its charge and writeoff, rounded once, half up. */
export function expectLinesExplainCharge(receipt: ReceiptDetailView): void {
  let sum = 0n
  for (const { amount_usd: amount, tokens, unit_price_usd: price } of receipt.lines) {
    const femto = exact(amount)
    expect(femto).toBe(BigInt(tokens) * nanoOf(price))
    sum += femto
  }
  const rounded = (sum + 500_000n) / 1_000_000n
  expect(usd(rounded)).toBe(usd(nanoOf(receipt.charge_usd) + nanoOf(receipt.writeoff_usd)))
}

/** An amount with up to 15 decimals, as an integer of 10⁻¹⁵ dollars. */
function exact(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.')
  return BigInt(whole + fraction.padEnd(15, '0'))
}

/** The books of a world with a single charged call: every hold given back, the charge taken from the balance. */
export async function expectChargedOnce(world: World, charge: string, topup = '10'): Promise<void> {
  const ledger = await world.ledger()
  expect(ledger.filter(({ kind }) => kind === 'charge')).toEqual([{ kind: 'charge', amount_usd: charge }])
  expect(ledger.filter(({ kind }) => kind === 'writeoff')).toEqual([])
  expect(await world.balance()).toEqual({ balance: usd(nanoOf(topup) - nanoOf(charge)), held: '0.00' })
}

/** A caller who reads a stream as it comes, and may leave. */
export interface StreamCaller {
  readonly response: Response
  /** Everything read so far. */
  text(): string
  /** Reads on until the text has this in it. Throws when the stream ends without. */
  until(piece: string): Promise<void>
  /** Reads to the end. */
  rest(): Promise<string>
  /** Hangs up. */
  leave(): void
}

export async function openStream(
  world: World,
  body: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
  path?: string,
): Promise<StreamCaller> {
  const controller = new AbortController()
  const response = await chatWith(world, { stream: true, ...body }, controller.signal, headers, path)
  expect(response.status).toBe(200)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''

  async function read(): Promise<boolean> {
    const piece = await reader?.read()
    text += piece?.value ?? ''
    return piece?.done !== false
  }

  return {
    response,
    text: () => text,
    async until(piece) {
      while (!text.includes(piece)) if (await read()) throw new Error(`never came: ${piece} in ${text}`)
    },
    async rest() {
      while (!(await read()));
      return text
    },
    leave: () => controller.abort(),
  }
}

/** A request under way whose caller may hang up before it is answered. */
export function startRequest(
  world: World,
  body: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
  path?: string,
): { readonly outcome: Promise<'answered' | 'left'>; leave(): void } {
  const controller = new AbortController()
  const outcome = chatWith(world, body, controller.signal, headers, path).then(
    () => 'answered' as const,
    (error: unknown) => {
      if (error instanceof Error && error.name === 'AbortError') return 'left' as const
      throw error
    },
  )
  return { outcome, leave: () => controller.abort() }
}

function chatWith(
  world: World,
  body: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
  path = '/v1/chat/completions',
): Promise<Response> {
  return checkedFetch(`${world.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${world.secret}`,
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify({
      model: 'acme/chat-1',
      messages: [{ role: 'user', content: 'Say hello' }],
      ...body,
    }),
    signal,
  })
}
