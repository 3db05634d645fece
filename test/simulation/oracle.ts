import type { JsonObject } from '../../src/core/json.ts'
import type { UpstreamCall } from './network.ts'
import { countTokens, type ListPrice, type ListPrices, SHOP, type ShopModel } from './shop.ts'

// What a call must cost, reckoned from what the providers did, with fractions of whole numbers.
// Nothing here comes from src/core.

/** A number as a fraction; denominators are powers of ten. */
interface Fraction {
  readonly over: bigint
  readonly under: bigint
}

/** Tokens by class; every token is in exactly one. */
interface Tokens {
  readonly prompt: number
  readonly cached: number
  readonly written: number
  readonly completion: number
  readonly reasoning: number
}

/** What a call to a provider came to, as far as the gateway was told. */
export interface Came {
  readonly texts: ReadonlyMap<number, string>
  readonly reasons: ReadonlyMap<number, string>
  readonly usage: Tokens | undefined
  /** Where no report counts all of the text: the one before it, of which the prompt holds. */
  readonly prompt: Tokens | undefined
  /** All choices finished, or its provider says so, and nothing broke before. */
  readonly whole: boolean
}

/** Reads what was delivered of an answer, up to where it is over. */
export function cameOf(call: UpstreamCall, choices: number): Came {
  const texts = new Map<number, string>()
  const reasons = new Map<number, string>()
  let usage: Tokens | undefined
  let prompt: Tokens | undefined
  let broken = false
  let zero = false
  for (const meaning of call.delivered) {
    if (meaning.kind === 'done') {
      // A report and then the last event: the provider's word that nothing is missing.
      if (usage === undefined) break
      for (let index = 0; index < choices; index++) if (!reasons.has(index)) reasons.set(index, 'stop')
      break
    }
    if (meaning.kind === 'broken') {
      broken = true
      break
    }
    if (meaning.kind === 'finish') reasons.set(meaning.index, meaning.reason)
    else if (meaning.kind === 'usage') {
      usage = tokensOf(meaning.usage) ?? usage
      zero ||= meaning.usage['prompt_tokens'] === 0 && meaning.usage['completion_tokens'] === 0
    } else if (meaning.kind === 'text' && !reasons.has(meaning.index)) {
      texts.set(meaning.index, (texts.get(meaning.index) ?? '') + meaning.text)
      if (meaning.text !== '') zero = false
      // What was reported before did not know of this text.
      if (meaning.text !== '' && usage) {
        prompt = usage.prompt === 0 ? undefined : { ...usage, completion: 0, reasoning: 0 }
        usage = undefined
      }
    }
  }
  // A provider that asks nothing for an answer that it filters says so with a report of nothing.
  if (zero && [...reasons.values()].includes('content_filter')) usage ??= NO_TOKENS
  return { texts, reasons, usage, prompt, whole: !broken && reasons.size >= choices }
}

/** What was reported, if it is a report at all. */
function tokensOf(usage: JsonObject): Tokens | undefined {
  const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)
  const inner = (value: unknown, name: string): number | undefined =>
    typeof value === 'object' && value !== null ? number((value as JsonObject)[name]) : undefined
  const prompt = number(usage.prompt_tokens)
  const total = number(usage.total_tokens)
  if (prompt === undefined) return undefined
  const completion = number(usage.completion_tokens) ?? (total === undefined ? undefined : total - prompt)
  if (completion === undefined || (prompt === 0 && completion === 0)) return undefined
  return {
    prompt,
    cached: inner(usage.prompt_tokens_details, 'cached_tokens') ?? 0,
    written: inner(usage.prompt_tokens_details, 'cache_write_tokens') ?? 0,
    completion,
    reasoning: inner(usage.completion_tokens_details, 'reasoning_tokens') ?? 0,
  }
}

/**
 * Of reported usage, figures that cannot be true are replaced by the gateway's count, prompt and completion
 * separately. Cached and written tokens are cut to the prompt, reasoning to the completion (docs/billing.md#usage).
 */
function believed(
  tokens: Tokens,
  own: Tokens,
  text: string,
  model: ShopModel,
  calls: number,
  choices: number,
  filtered = false,
): Tokens {
  const isCount = (count: number): boolean => Number.isInteger(count) && count >= 0
  const isFree = filtered && tokens.completion === 0
  const orNone = (count: number): number => (isCount(count) ? count : 0)
  const promptHolds =
    isCount(tokens.prompt) && (tokens.prompt > 0 || isFree) && tokens.prompt <= model.contextLength * calls
  const completionHolds =
    isCount(tokens.completion) &&
    tokens.completion <= model.maxOutputTokens * choices &&
    (tokens.completion > 0 || text === '')
  const prompt = promptHolds ? tokens.prompt : own.prompt
  const completion = completionHolds ? tokens.completion : own.completion
  const cached = Math.min(orNone(tokens.cached), prompt)
  return {
    prompt,
    cached,
    written: Math.min(orNone(tokens.written), prompt - cached),
    completion,
    reasoning: Math.min(orNone(tokens.reasoning), completion),
  }
}

/** A request as the oracle needs it. */
export interface Asked {
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  readonly choices: number
  /** `max_tokens`, where the caller set it. */
  readonly maxTokens: number | undefined
  readonly startedAt: number
}

/** What an answer costs that came from these calls: several where each made one choice. */
export function costOfAnswer(asked: Asked, came: readonly Came[]): bigint {
  const model = modelOf(asked.model)
  const calls = came.length
  const reports = came.flatMap(({ usage }) => usage ?? [])
  const text = came.map(textOf).join('')
  if (reports.length < calls) return costByPrompt(asked, came, text)
  const sum = reports.reduce(addTokens, NO_TOKENS)
  const own = counted(asked, model, calls, text)
  const filtered = came.some(({ reasons }) => [...reasons.values()].includes('content_filter'))
  const tokens = believed(sum, own, filtered ? '' : text, model, calls, asked.choices, filtered)
  return costOf(upToAsked(tokens, asked, model), model, calls, asked.startedAt)
}

/**
 * What this text costs, of which not all was reported: each figure is the greater of the reports that there are and the
 * count. Where all calls have reported their prompts, these hold.
 */
export function costByPrompt(asked: Asked, came: readonly Came[], text: string): bigint {
  const model = modelOf(asked.model)
  const calls = came.length
  const own = counted(asked, model, calls, text)
  const reports = came.map(({ usage, prompt }) => usage ?? prompt)
  const known = reports.filter((report) => report !== undefined)
  if (known.length === 0) return costOf(upToAsked(own, asked, model), model, calls, asked.startedAt)
  const sum = known.reduce(addTokens, NO_TOKENS)
  const least = believed(sum, NO_TOKENS, '', model, calls, asked.choices)
  const prompt = known.length < calls ? Math.max(own.prompt, least.prompt) : least.prompt || own.prompt
  const completion = Math.max(own.completion, least.completion)
  const cached = Math.min(sum.cached, prompt)
  const tokens = {
    prompt,
    cached,
    written: Math.min(sum.written, prompt - cached),
    completion,
    reasoning: Math.min(sum.reasoning, completion),
  }
  return costOf(upToAsked(tokens, asked, model), model, calls, asked.startedAt)
}

/** The same calls, of whose output nothing is known. */
export function promptsOf(came: readonly Came[]): readonly Came[] {
  return came.map((one) => {
    const prompt = one.usage ? { ...one.usage, completion: 0, reasoning: 0 } : one.prompt
    return { ...one, prompt, usage: undefined }
  })
}

/** What our own count of a prompt and this text costs. */
export function costOfText(asked: Asked, calls: number, text: string): bigint {
  const model = modelOf(asked.model)
  return costOf(upToAsked(counted(asked, model, calls, text), asked, model), model, calls, asked.startedAt)
}

/** What the prompts, as counted or as reported where that is more, and all the output that was asked for cost. */
export function costOfMost(asked: Asked, calls: number, came: readonly Came[] = []): bigint {
  const model = modelOf(asked.model)
  const own = counted(asked, model, calls, '')
  const reports = came.flatMap(({ usage, prompt }) => usage ?? prompt ?? [])
  const sum = believed(reports.reduce(addTokens, NO_TOKENS), NO_TOKENS, '', model, calls, asked.choices)
  const prompt = Math.max(own.prompt, sum.prompt)
  const most = { ...NO_TOKENS, prompt, completion: model.maxOutputTokens * asked.choices }
  const costs = [most, { ...most, written: sum.written }].map((tokens) =>
    costOf(upToAsked(tokens, asked, model), model, calls, asked.startedAt),
  )
  return costs.reduce((a, b) => (a > b ? a : b))
}

/** Output beyond what was asked for is never charged; a model reasons before it speaks. */
function upToAsked(tokens: Tokens, { maxTokens, choices }: Asked, model: ShopModel): Tokens {
  const most = Math.min(maxTokens ?? model.maxOutputTokens, model.maxOutputTokens) * choices
  const completion = Math.min(tokens.completion, most)
  return { ...tokens, completion, reasoning: Math.min(tokens.reasoning, completion) }
}

function counted(asked: Asked, model: ShopModel, calls: number, text: string): Tokens {
  const prompt = countTokens(asked.messages.flatMap(({ role, content }) => [role, content]).join('\n'))
  return {
    ...NO_TOKENS,
    prompt: Math.min(prompt, model.contextLength) * calls,
    completion: Math.min(countTokens(text), model.maxOutputTokens * asked.choices),
  }
}

function costOf(tokens: Tokens, model: ShopModel, prompts: number, at: number): bigint {
  const prices = pricesOf(model, Math.ceil(tokens.prompt / prompts), at)
  const { input, output } = prices
  const uncached = tokens.prompt - tokens.cached - tokens.written
  const spoken = tokens.completion - tokens.reasoning
  const sum = [
    times(uncached, input),
    times(tokens.cached, prices.cached_input ?? input),
    times(tokens.written, prices.cache_write ?? input),
    times(spoken, output),
    times(tokens.reasoning, prices.reasoning ?? output),
  ].reduce(plus)
  // Dollars per million tokens to nano-dollars: 10⁹ / 10⁶.
  return roundHalfUp({ over: sum.over * 1_000n, under: sum.under })
}

function pricesOf(model: ShopModel, promptTokens: number, at: number): ListPrices {
  let price: ListPrice = model.prices[0]
  for (const next of model.prices) {
    if (next.valid_from !== undefined && Date.parse(next.valid_from) <= at) price = next
  }
  let prices: ListPrices = price
  for (const tier of price.tiers ?? []) if (promptTokens > tier.above_prompt_tokens) prices = tier
  return prices
}

function modelOf(id: string): ShopModel {
  const model = SHOP.find((one) => one.id === id)
  if (!model) throw new Error(`the shop has no ${id}`)
  return model
}

export function textOf({ texts }: Pick<Came, 'texts'>): string {
  return [...texts]
    .sort(([a], [b]) => a - b)
    .map(([, text]) => text)
    .join('')
}

const NO_TOKENS: Tokens = { prompt: 0, cached: 0, written: 0, completion: 0, reasoning: 0 }

function addTokens(a: Tokens, b: Tokens): Tokens {
  return {
    prompt: a.prompt + b.prompt,
    cached: a.cached + b.cached,
    written: a.written + b.written,
    completion: a.completion + b.completion,
    reasoning: a.reasoning + b.reasoning,
  }
}

function times(count: number, price: string): Fraction {
  const [whole = '0', fraction = ''] = price.split('.')
  return { over: BigInt(count) * BigInt(whole + fraction), under: 10n ** BigInt(fraction.length) }
}

function plus(a: Fraction, b: Fraction): Fraction {
  return { over: a.over * b.under + b.over * a.under, under: a.under * b.under }
}

function roundHalfUp({ over, under }: Fraction): bigint {
  return (2n * over + under) / (2n * under)
}
