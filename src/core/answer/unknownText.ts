import { type JsonObject, isJsonObject } from '../json.ts'

/** What a model has generated stands no deeper than this. */
const DEPTH_MAX = 32
/**
 * Ciphertext in base64 has some five characters for a token of what is in it, where a tokenizer takes as many characters
 * for three tokens: this part of it is taken.
 */
const ENCRYPTED_PART = 3

/** Fields that say what something is or belongs to, and nothing that a model has generated. */
const LABELS: ReadonlySet<string> = new Set([
  'format',
  'id',
  'index',
  'model',
  'object',
  'role',
  'severity',
  'status',
  'type',
])
const LABEL_ENDS = ['_id', '_reason', 'signature', 'Signature']
/** Verdicts of Azure's filters, which stand beside every part of an answer. */
const FILTER_START = 'content_filter'
/** Every string that may be generated in a delta or a message without any text that we know, and beside it in its choice. */
export function forEachUnknown(
  said: Readonly<Record<string, unknown>>,
  take: (text: string) => void,
  choiceExtra?: JsonObject,
): void {
  for (const name in said) {
    const value = said[name]
    if (name === 'reasoning_details') takeDetails(value, take)
    else if (name === 'tool_calls') takeCalls(value, take)
    else if (name === 'function_call') takeBesideStrings(value, take)
    else if (!isLabel(name)) takeAll(value, take, DEPTH_MAX)
  }
  if (choiceExtra) takeAll(choiceExtra, take, DEPTH_MAX)
}

function takeDetails(details: unknown, take: (text: string) => void): void {
  if (!Array.isArray(details)) return
  for (const detail of details as readonly unknown[]) {
    if (!isJsonObject(detail)) continue
    for (const name in detail) {
      const value = detail[name]
      if (name === 'data' && typeof value === 'string') takeEncrypted(value, take)
      else if (!isLabel(name)) takeAll(value, take, DEPTH_MAX)
    }
  }
}

function takeCalls(calls: unknown, take: (text: string) => void): void {
  if (!Array.isArray(calls)) return
  for (const call of calls as readonly unknown[]) {
    if (!isJsonObject(call)) continue
    for (const name in call) {
      const value = call[name]
      if (isJsonObject(value)) takeBesideStrings(value, take)
      else if (!isLabel(name)) takeAll(value, take, DEPTH_MAX)
    }
  }
}

/** The strings of a call itself, such as its name, have been taken. */
function takeBesideStrings(call: unknown, take: (text: string) => void): void {
  if (!isJsonObject(call)) return
  for (const name in call) {
    const value = call[name]
    if (typeof value !== 'string' && !isLabel(name)) takeAll(value, take, DEPTH_MAX)
  }
}

function takeEncrypted(data: string, take: (text: string) => void): void {
  if (data !== '') take(data.slice(0, Math.ceil(data.length / ENCRYPTED_PART)))
}

function takeAll(value: unknown, take: (text: string) => void, depth: number): void {
  if (typeof value === 'string') {
    if (value !== '') take(value)
  } else if (depth > 0 && Array.isArray(value)) {
    for (const item of value as readonly unknown[]) takeAll(item, take, depth - 1)
  } else if (depth > 0 && isJsonObject(value)) {
    for (const name in value) if (!isLabel(name)) takeAll(value[name], take, depth - 1)
  }
}

/** Whether a field of such a name says what something is, or belongs to. */
export function isLabel(name: string): boolean {
  return LABELS.has(name) || name.startsWith(FILTER_START) || LABEL_ENDS.some((end) => name.endsWith(end))
}
