import { type Json, isJsonObject } from '../core/json.ts'

/** A longer message decides nothing: what is in it may be anything. */
export const DECIDING_LENGTH_MAX = 2_000
/** A shorter string of the request is found in most sentences by chance. */
const SENT_LENGTH_MIN = 4
/** Stands for what was taken out, so that the words on its two sides do not become one sentence. */
const TAKEN_OUT = '…'

/** Between quotes, or from a quote that is not closed to the end. An apostrophe within or behind a word is none. */
const QUOTED =
  /"[^"]*(?:"|$)|`[^`]*(?:`|$)|“[^”]*(?:”|$)|«[^»]*(?:»|$)|(?<![\p{L}\p{N}])['‘](?:[^'’]|['’](?=[\p{L}\p{N}]))*(?:['’]|$)/gu

/** Parts of a request whose very names are the caller's: schemas, arguments of calls, metadata. */
const FREE_FORM = new Set(
  'parameters schema input_schema inputSchema parametersJsonSchema responseSchema responseJsonSchema json arguments input args response metadata'.split(
    ' ',
  ),
)

/**
 * What of an error's message may decide what kind of failure it is: without the strings of the request that it repeats,
 * and without what it quotes. Otherwise a caller could choose the words.
 *
 * @param sent the body of the request, as far as it is known
 */
export function decidingWords(message: string, sent: Json | undefined): string {
  if (message.length > DECIDING_LENGTH_MAX) return ''
  let words = message
  if (sent !== undefined)
    for (const text of repeated(message, sent)) words = words.replaceAll(text, TAKEN_OUT)
  return words.replaceAll(QUOTED, TAKEN_OUT)
}

/** The strings of the request that occur in the message, the longest first. */
function repeated(message: string, sent: Json): string[] {
  const beginnings = new Set<string>()
  for (let at = 0; at + SENT_LENGTH_MIN <= message.length; at++)
    beginnings.add(message.slice(at, at + SENT_LENGTH_MIN))
  const found = new Set<string>()

  function look(text: string): void {
    if (text.length < SENT_LENGTH_MIN || !beginnings.has(text.slice(0, SENT_LENGTH_MIN))) return
    if (text.length <= message.length && message.includes(text)) found.add(text)
  }

  const left: { value: Json; free: boolean }[] = [{ value: sent, free: false }]
  for (let next = left.pop(); next; next = left.pop()) {
    const { value, free } = next
    if (typeof value === 'string') {
      look(value)
      const escaped = JSON.stringify(value).slice(1, -1)
      if (escaped !== value) look(escaped)
    } else if (Array.isArray(value)) {
      for (const item of value) left.push({ value: item, free })
    } else if (isJsonObject(value)) {
      for (const [name, item] of Object.entries(value)) {
        if (free) look(name)
        if (item !== undefined) left.push({ value: item, free: free || FREE_FORM.has(name) })
      }
    }
  }
  return [...found].toSorted((a, b) => b.length - a.length)
}
