import type { Message, ReasoningDetail, ToolCall } from '../core/chat/request.ts'

/** Makes of any id one that a provider takes: the same each time. An id that it takes already is not changed. */
export type FitId = (id: string) => string

/** Cohere's and Google's references name no rule. */
export const anyId: FitId = (id) => id

/** OpenAI refuses a longer one ("string too long. Expected a string with maximum length 40"), and so do its imitators. */
export const openAiId: FitId = (id) => shortened(id, 40)

/** "Invalid 'input[95].call_id': string too long. Expected a string with maximum length 64": AnswerDotAI/fastllm#45. */
export const responsesId: FitId = (id) => shortened(id, 64)

/** `toolUseId` of Bedrock's reference, and the pattern that Anthropic names in its refusals: one rule fits both. */
export const toolUseId: FitId = (id) => shortened(id.replaceAll(/[^a-zA-Z0-9_-]/g, '_') || '_', 64)

/** The end of a completion's id is its random part; so much of it keeps two answers apart. */
const DISTINCT_LENGTH = 16

/**
 * The id of a call that a provider sent without one: another in each answer, so that it is unique in a conversation.
 * @param completionId of the answer; empty where none is known
 */
export function madeCallId(completionId: string, ordinal: number): string {
  const answer = completionId.slice(-DISTINCT_LENGTH)
  return answer === '' ? `call_${ordinal}` : `call_${answer}_${ordinal}`
}

/**
 * Gives each tool call of a conversation an id that the provider takes and that no other call has; results and signatures
 * follow their call. What one provider made, or the caller, goes to another. A result belongs to the latest call with
 * its id: of several in one turn to the first without a result.
 */
export function fitToolCallIds(messages: readonly Message[], fit: FitId): readonly Message[] {
  if (!messages.some(({ tool_calls: calls, tool_call_id: id }) => calls !== undefined || id !== undefined)) {
    return messages
  }
  const unique = uniqueIds(fit)
  /** What the calls of an id are named now; a result takes the first, and the last of them is for all further ones. */
  const named = new Map<string, string[]>()
  let changed = false

  function fitCalls(message: Message, calls: readonly ToolCall[]): Message {
    const own = new Map<string, string[]>()
    for (const { id } of calls) {
      if (typeof id !== 'string') continue
      const ids = own.get(id) ?? []
      ids.push(unique(id))
      own.set(id, ids)
    }
    for (const [id, ids] of own) named.set(id, [...ids])
    if ([...own].every(([id, ids]) => ids.length === 1 && ids[0] === id)) return message
    changed = true
    const signatures = message.reasoning_details?.map((detail) =>
      withId(detail, own.get(detail.id ?? '')?.[0]),
    )
    const left = new Map(Array.from(own, ([id, ids]) => [id, ids.values()]))
    const renamed = calls.map((call) => withId(call, left.get(call.id)?.next().value))
    return { ...message, tool_calls: renamed, ...(signatures && { reasoning_details: signatures }) }
  }

  function fitResult(message: Message, given: string): Message {
    const ids = named.get(given)
    const id = (ids && ids.length > 1 ? ids.shift() : ids?.[0]) ?? fit(given)
    if (id === given) return message
    changed = true
    return { ...message, tool_call_id: id }
  }

  const fitted = messages.map((message) => {
    if (message.tool_calls) return fitCalls(message, message.tool_calls)
    return typeof message.tool_call_id === 'string' ? fitResult(message, message.tool_call_id) : message
  })
  return changed ? fitted : messages
}

/** Fits ids, and numbers one that a conversation has already: each repetition goes on where the last one ended. */
function uniqueIds(fit: FitId): FitId {
  const used = new Set<string>()
  const counts = new Map<string, number>()
  return (given) => {
    const first = fit(given)
    let id = first
    let count = counts.get(first) ?? 1
    while (used.has(id)) id = fit(`${first}_${++count}`)
    counts.set(first, count)
    used.add(id)
    return id
  }
}

function withId<Item extends ToolCall | ReasoningDetail>(item: Item, id: string | undefined): Item {
  return id === undefined || id === item.id ? item : { ...item, id }
}

/** Its beginning, which often tells what it is of, and a hash of the whole. */
function shortened(id: string, most: number): string {
  if (id.length <= most) return id
  const hash = hashText(id, HASH_LENGTH)
  return `${id.slice(0, most - HASH_LENGTH - 1)}_${hash}`
}

const HASH_LENGTH = 10
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Of a longer text its beginning, its end and its length are hashed: an id may be as long as a body. */
const HASHED_LENGTH_MAX = 512

/** Letters and digits, at most ten, that stand for a text of any length: two hashes of 32 bits, over UTF-16 units. */
export function hashText(whole: string, length: number): string {
  const text = whole.length <= HASHED_LENGTH_MAX ? whole : sampleOf(whole)
  let high = 0x81_1c_9d_c5
  let low = 0x9e_37_79_b9
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    // FNV-1a, and the mixing step of MurmurHash3.
    high = Math.imul(high ^ unit, 0x01_00_01_93)
    low = Math.imul(low ^ unit, 0x85_eb_ca_6b)
    low ^= low >>> 13
  }
  let value = (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0)
  let hash = ''
  for (let i = 0; i < length; i++) {
    hash += ALPHABET.charAt(Number(value % 62n))
    value /= 62n
  }
  return hash
}

function sampleOf(text: string): string {
  const half = HASHED_LENGTH_MAX / 2
  return `${text.slice(0, half)}${text.slice(-half)}${text.length}`
}
