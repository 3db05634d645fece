import type { ContentPart, Message, Tool } from './chat/request.ts'
import type { Json } from './json.ts'

/**
 * A quick count of tokens that rather errs upwards, for holds: nothing is charged by it while a
 * provider reports usage. For natural text and code it is at least what o200k counts and for English
 * less than twice that; only text without any language (base64, random letters) may have more tokens.
 */
export function estimateTokens(text: string): number {
  if (text === '') return 0
  let sum = 0
  let before = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < ASCII) {
      sum += PAIR_WEIGHTS[before + code] ?? 0
      before = PAIRS_OF[code] ?? 0
    } else {
      sum += WEIGHTS[code] ?? 0
      before = 0
    }
  }
  return Math.ceil(sum / UNIT) + 1
}

/** An image's tokens are known to its provider alone: what a large one costs at most of them. */
export const IMAGE_TOKENS = 1_600
/** Audio and files: at least this many tokens, and more with their length. */
export const MEDIA_TOKENS_MIN = 1_600
/** Characters of base64 in a token of audio or of a document. */
const MEDIA_CHARACTERS_PER_TOKEN = 32
/** Role, separators and the like around a message. */
const MESSAGE_TOKENS = 6
/** What every prompt has beside its messages. */
const PROMPT_TOKENS = 8
/** Quotes, colon and comma around a member or an item of JSON. */
const JSON_ITEM_TOKENS = 2
/** Deeper JSON counts no further: it was bounded by the size of the body already. */
const JSON_DEPTH_MAX = 64

/** The same for a whole prompt: messages with their tool calls, and the tools on offer. */
export function estimatePromptTokens(messages: readonly Message[], tools?: readonly Tool[]): number {
  let sum = PROMPT_TOKENS
  for (const message of messages) sum += messageTokens(message)
  if (tools !== undefined) sum += jsonTokens(tools as Json, 0)
  return sum
}

function messageTokens(message: Message): number {
  let sum = MESSAGE_TOKENS
  const { content } = message
  if (typeof content === 'string') sum += estimateTokens(content)
  else if (content) for (const part of content) sum += partTokens(part)
  if (message.name !== undefined) sum += estimateTokens(message.name)
  if (message.tool_calls !== undefined) sum += jsonTokens(message.tool_calls as Json, 0)
  if (message.reasoning_content !== undefined) sum += estimateTokens(message.reasoning_content)
  if (message.reasoning_details !== undefined) sum += jsonTokens(message.reasoning_details as Json, 0)
  return sum
}

function partTokens(part: ContentPart): number {
  switch (part.type) {
    case 'text':
      return typeof part.text === 'string' ? estimateTokens(part.text) : 0
    case 'image_url':
      return IMAGE_TOKENS
    default:
      return Math.max(MEDIA_TOKENS_MIN, Math.ceil(characters(part as Json, 0) / MEDIA_CHARACTERS_PER_TOKEN))
  }
}

function jsonTokens(value: Json | undefined, depth: number): number {
  if (typeof value === 'string') return JSON_ITEM_TOKENS + estimateTokens(value)
  if (typeof value !== 'object' || value === null || depth > JSON_DEPTH_MAX) return JSON_ITEM_TOKENS
  let sum = JSON_ITEM_TOKENS
  if (isList(value)) for (const item of value) sum += jsonTokens(item, depth + 1)
  else for (const key in value) sum += estimateTokens(key) + jsonTokens(value[key], depth + 1)
  return sum
}

function characters(value: Json | undefined, depth: number): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null || depth > JSON_DEPTH_MAX) return 0
  let sum = 0
  if (isList(value)) for (const item of value) sum += characters(item, depth + 1)
  else for (const key in value) sum += characters(value[key], depth + 1)
  return sum
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value)
}

const KIND_OTHER = 0
const KIND_SPACE = 1
const KIND_LOWER = 2
const KIND_UPPER = 3
const KIND_DIGIT = 4

/** Weights are in twelfths of a token. */
const UNIT = 12
const TRANSITION = 7
const REPEATED_SPACE = 1

function kindOf(code: number): number {
  if (code === 0x20 || code === 0x09) return KIND_SPACE
  if (code >= 0x61 && code <= 0x7a) return KIND_LOWER
  if (code >= 0x41 && code <= 0x5a) return KIND_UPPER
  if (code >= 0x30 && code <= 0x39) return KIND_DIGIT
  return KIND_OTHER
}

/**
 * Twelfths of a token per UTF-16 unit, by script: a third of a token for a Latin letter, about one for
 * an ideograph, and for scripts that vocabularies hardly know one for each byte of UTF-8.
 */
const SCRIPTS: readonly (readonly [from: number, weight: number])[] = [
  [0x0000, 12],
  [0x0080, 14],
  [0x0370, 7],
  [0x0400, 6],
  [0x0530, 9],
  [0x0590, 7],
  [0x0700, 24],
  [0x0900, 9],
  [0x0e80, 36],
  [0x1000, 9],
  [0x10a0, 7],
  [0x1100, 36],
  [0x1200, 30],
  [0x13a0, 36],
  [0x1780, 11],
  [0x1800, 36],
  [0x1e00, 12],
  [0x2000, 12],
  [0x2070, 30],
  [0x2c00, 36],
  [0x3000, 12],
  [0x3100, 30],
  [0x4e00, 14],
  [0xa000, 36],
  [0xac00, 11],
  [0xd7a4, 24],
  [0xe000, 36],
  [0xf900, 30],
  [0xff00, 18],
]

const WEIGHTS = new Uint8Array(0x10000)
SCRIPTS.forEach(([from, weight], index) => WEIGHTS.fill(weight, from, SCRIPTS[index + 1]?.[0]))
for (let code = 0x20; code < 0x7f; code++) {
  const kind = kindOf(code)
  WEIGHTS[code] = kind === KIND_OTHER ? 10 : kind === KIND_DIGIT ? 8 : 4
}

const ASCII = 0x80
/** Of an ASCII character behind one of a kind: a table, for the longest prompts are millions of them. */
const PAIR_WEIGHTS = new Uint8Array((KIND_DIGIT + 1) * ASCII)
/** Where a kind's pairs begin, by the character that is of it. */
const PAIRS_OF = new Uint16Array(ASCII)
for (let code = 0; code < ASCII; code++) {
  const kind = kindOf(code)
  PAIRS_OF[code] = kind * ASCII
  for (let before = KIND_OTHER; before <= KIND_DIGIT; before++) {
    PAIR_WEIGHTS[before * ASCII + code] = weightBehind(before, kind, WEIGHTS[code] ?? 0)
  }
}

/** Words of code end where letters turn to digits or to capitals (`getHTTP2`); indentation is one token. */
function weightBehind(before: number, kind: number, weight: number): number {
  if (kind === KIND_SPACE && before === KIND_SPACE) return REPEATED_SPACE
  const turns = kind !== before && kind >= KIND_LOWER && before >= KIND_LOWER
  return turns && !(before === KIND_UPPER && kind === KIND_LOWER) ? TRANSITION + weight : weight
}
