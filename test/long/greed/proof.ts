import { promptTextOf, tokensOf } from './replies.ts'
import { type Row, integer } from '../../support/inspector.ts'
import { type Deed } from './attack.ts'
import { bodyOf } from './callers.ts'
import type { Told } from './greed.ts'
import { type GreedModel, IMAGE_TOKENS, PRICES, pricesFor } from './market.ts'

/** What the house took and bore for one call. */
export interface Booked {
  readonly charge: bigint
  readonly writeoff: bigint
}

/** A usage record, as far as the proof goes. */
interface Recorded extends Booked {
  readonly id: string
  readonly ending: string
  readonly estimated: boolean
  readonly hold: bigint
  readonly usage: Usage
}

interface Usage {
  readonly prompt: number
  readonly cached: number
  readonly completion: number
  readonly reasoning: number
}

const FREE: ReadonlySet<string> = new Set([
  'provider_failed_before_answer',
  'provider_failed',
  'timeout',
  'gateway_failed',
  'refused',
])
const WHOLE: ReadonlySet<string> = new Set(['completed', 'length', 'content_filter', 'hold_exhausted'])
/** Output that is not seen growing costs the operator at most so many times its hold (docs/billing.md#how-much-is-held). */
const UNSEEN_WRITEOFF_FACTOR = 3n
/** Our own count joins pieces that the provider counted one by one: by so much it may be above. */
const COUNT_SLACK = 1.05
const COUNT_SLACK_TOKENS = 64
const ERROR_SHOWN = 300
/** The least that a document or an image without a report counts. */
const MEDIA_COUNTED_MAX = 1_600

export function recordOf(row: Row): Recorded {
  return {
    id: String(row['id']),
    ending: String(row['ending']),
    estimated: row['usage_source'] === 'estimated',
    hold: integer(row['hold']),
    charge: integer(row['charge']),
    writeoff: integer(row['writeoff']),
    usage: {
      prompt: Number(row['prompt_tokens']),
      cached: Number(row['cached_tokens']),
      completion: Number(row['completion_tokens']),
      reasoning: Number(row['reasoning_tokens']),
    },
  }
}

/**
 * What is wrong with the records of a call, in words; nothing where all is right.
 *
 * @param logOf what the gateway has written to its log about a call
 */
export function faultsOf(deed: Deed, records: readonly Recorded[], logOf: (id: string) => string): string[] {
  const { greed, mark, told, heard } = deed
  const faults: string[] = []
  const fault = (what: string): void => void faults.push(`${greed.shape} (${mark}): ${what}`)
  const ids = new Set(records.map(({ id }) => id))
  for (const { status, id, replayed, text } of heard) {
    if (status >= 500 && !mayBeUnserved(deed))
      fault(`answered ${status}: ${text.slice(0, ERROR_SHOWN)}\n  ${logOf(id)}`)
    if (status === 200 && !ids.has(id)) fault(`the answer ${id} has no record (replayed: ${replayed})`)
  }
  if (told.length > 0 && records.length === 0) fault('its provider was asked, and there is no record')
  if (deed.idempotent) {
    const charged = records.filter(({ ending }) => WHOLE.has(ending))
    if (charged.length > 1) fault(`${charged.length} answers under one Idempotency-Key`)
    const texts = new Set(heard.filter(({ whole }) => whole).map(({ text }) => text))
    if (texts.size > 1) fault(`${texts.size} texts under one Idempotency-Key`)
  } else if (records.length > 1) {
    fault(`${records.length} records of one call`)
  }
  for (const record of records)
    for (const what of wrongIn(record, deed))
      fault(`${what}\n  ${show(record)}\n  told ${JSON.stringify(told)} of ${JSON.stringify(greed.body)}`)
  return faults
}

/** Its provider is sick, or its twin was refused. */
function mayBeUnserved({ greed, idempotent, heard }: Deed): boolean {
  return (
    greed.model.sick === true || (idempotent && heard.some(({ status }) => status === 402 || status === 429))
  )
}

function wrongIn(record: Recorded, deed: Deed): string[] {
  const { ending, usage, estimated, charge, writeoff } = record
  const { model } = deed.greed
  const wrong: string[] = []
  const cost = costOf(record, deed)
  if (charge + writeoff !== cost) wrong.push(`costs ${cost}, and ${charge} + ${writeoff} was booked`)
  if (WHOLE.has(ending)) {
    const reported = reportOf(deed)
    if (!estimated && !reported) wrong.push('takes for reported what nobody reported')
    // The answer may have been whole, and its report not: cut by us, or by the provider.
    const unread = estimated && (ending === 'hold_exhausted' || deed.greed.reply.breaks !== undefined)
    if (reported && !unread) {
      if (estimated !== reported.estimated) wrong.push(`is ${estimated ? '' : 'not '}estimated`)
      wrong.push(...differences(usage, reported))
    }
  }
  if (estimated) wrong.push(...wrongCount(record, deed))
  if (FREE.has(ending) && charge > 0n) wrong.push('is charged')
  const bound = writeoffBound(record, deed)
  if (writeoff > bound) wrong.push(`writes off ${writeoff}, above ${bound} (${model.id})`)
  return wrong
}

/** The price of its usage, of which output beyond what was asked for is no part. */
function costOf({ ending, usage }: Recorded, deed: Deed): bigint {
  if (FREE.has(ending)) return 0n
  const { model } = deed.greed
  const completion = Math.min(usage.completion, mostOutputOf(deed))
  const reasoning = Math.min(usage.reasoning, completion)
  const prompts = model.parallel ? choicesOf(deed) : 1
  const prices = pricesFor(model, Math.ceil(usage.prompt / prompts))
  return (
    BigInt(usage.prompt - usage.cached) * prices.input +
    BigInt(usage.cached) * prices.cached +
    BigInt(completion - reasoning) * prices.output +
    BigInt(reasoning) * prices.reasoning
  )
}

interface Believed {
  readonly prompt: number | undefined
  readonly completion: number | undefined
  readonly estimated: boolean
}

/** What of the provider's report can be true; undefined where there is none. */
function reportOf(deed: Deed): Believed | undefined {
  const { model } = deed.greed
  const calls = model.parallel ? choicesOf(deed) : 1
  const answering = deed.told.slice(-calls)
  if (answering.length < calls || answering.some(({ usage }) => usage === null)) return undefined
  const add = (name: 'prompt_tokens' | 'completion_tokens'): unknown =>
    answering.reduce<unknown>((sum, { usage }) => {
      const figure = usage?.[name] as unknown
      return sum === undefined ? figure : Number(sum) + Number(figure)
    }, undefined)
  const shown = answering.some(({ shownTokens }) => shownTokens > 0)
  const prompt = believed(add('prompt_tokens'), 1, model.contextLength * calls)
  const completion = believed(
    add('completion_tokens'),
    shown ? 1 : 0,
    model.maxOutputTokens * choicesOf(deed),
  )
  const details = answering.flatMap(({ usage }) => partsOf(usage))
  const doubtful = details.some((part) => !Number.isSafeInteger(part) || Number(part) < 0)
  return { prompt, completion, estimated: prompt === undefined || completion === undefined || doubtful }
}

function partsOf(usage: Told['usage']): unknown[] {
  const { prompt_tokens_details: prompt, completion_tokens_details: completion } = (usage ?? {}) as {
    prompt_tokens_details?: { cached_tokens?: unknown }
    completion_tokens_details?: { reasoning_tokens?: unknown }
  }
  return [prompt?.cached_tokens ?? 0, completion?.reasoning_tokens ?? 0]
}

function believed(figure: unknown, least: number, most: number): number | undefined {
  return Number.isSafeInteger(figure) && Number(figure) >= least && Number(figure) <= most
    ? Number(figure)
    : undefined
}

function differences({ prompt, completion }: Usage, reported: Believed): string[] {
  const wrong: string[] = []
  if (reported.prompt !== undefined && prompt !== reported.prompt) {
    wrong.push(`has a prompt of ${prompt}, and ${reported.prompt} was reported`)
  }
  if (reported.completion !== undefined && completion !== reported.completion) {
    wrong.push(`has a completion of ${completion}, and ${reported.completion} was reported`)
  }
  return wrong
}

/** Our own count is no more than was sent and made; and something, where something was. */
function wrongCount({ usage, ending }: Recorded, deed: Deed): string[] {
  const wrong: string[] = []
  if (FREE.has(ending)) return wrong
  const body = bodyOf(deed)
  const calls = deed.greed.model.parallel ? choicesOf(deed) : 1
  const text = promptTextOf(body)
  const media =
    (text.match(/"(?:image_url|file_data)"/g) ?? []).length * Math.max(IMAGE_TOKENS, MEDIA_COUNTED_MAX)
  const promptMost = (tokensOf(text) * COUNT_SLACK + COUNT_SLACK_TOKENS + media) * calls
  const reported = reportOf(deed)
  if (usage.prompt !== reported?.prompt && usage.prompt > promptMost) {
    wrong.push(`counts a prompt of ${usage.prompt}, above ${promptMost}`)
  }
  if (deed.told.length > 0 && usage.prompt < 1) wrong.push('counts no prompt')
  const shown = deed.told.reduce((sum, { shownTokens }) => sum + shownTokens, 0)
  const most = shown * COUNT_SLACK + COUNT_SLACK_TOKENS
  // Of a model that reasons out of sight, what cannot be seen is estimated, within what its call held.
  const seen = deed.greed.model.hiddenReasoning ? usage.completion - usage.reasoning : usage.completion
  if (usage.completion !== reported?.completion && seen > most) {
    wrong.push(`counts a completion of ${seen}, above ${most}`)
  }
  if (ending !== 'hold_exhausted' && WHOLE.has(ending) && shown > 0 && usage.completion === 0)
    wrong.push('counts no completion')
  return wrong
}

/** The most that the operator may pay of a call (docs/billing.md#how-much-is-held). */
function writeoffBound({ hold, usage }: Recorded, deed: Deed): bigint {
  const { greed, told } = deed
  if (greed.covered) return 0n
  if (greed.model.unseen) {
    // The bound is of providers that keep to the limit: what one makes beyond it comes on top.
    const beyond = told.map(({ completionTokens, limitTokens }) =>
      Math.max(0, completionTokens - (limitTokens ?? completionTokens)),
    )
    return UNSEEN_WRITEOFF_FACTOR * hold + BigInt(Math.max(0, ...beyond)) * PRICES.reasoning
  }
  const piece = Math.max(0, ...told.map(({ pieceTokens }) => pieceTokens))
  const pieces = greed.model.parallel ? choicesOf(deed) : 1
  const unmeasured = Math.ceil(Number(hold) * ((greed.reply.tokensPerMeasured ?? 1) - 1))
  return BigInt(piece * pieces) * pricesFor(greed.model, usage.prompt).output + BigInt(unmeasured)
}

function choicesOf({ greed }: Deed): number {
  return typeof greed.body['n'] === 'number' ? greed.body['n'] : 1
}

function mostOutputOf(deed: Deed): number {
  const { body, model }: { body: Deed['greed']['body']; model: GreedModel } = deed.greed
  const asked = typeof body['max_tokens'] === 'number' ? body['max_tokens'] : model.maxOutputTokens
  return Math.min(asked, model.maxOutputTokens) * choicesOf(deed)
}

function show(record: Recorded): string {
  return JSON.stringify(record, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
}
