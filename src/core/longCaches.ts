import { type Refusal, refuse } from './error.ts'
import { type Json, type JsonObject, isJsonObject } from './json.ts'

/**
 * Marks that let a provider write its prompt cache, in the ways of Python and of JavaScript, as some servers read them. The price
 * of a write is that of the usual life.
 */
const USUAL_LIVES: readonly (readonly [mark: RegExp, ttl: string])[] = [
  [/^cache_?control$/iu, '5m'],
  [/^prompt_?cache_?(?:breakpoint|options)$/iu, '30m'],
]
/** What the caller's own programs write and read: marks within it are none. */
const OWN: ReadonlySet<string> = new Set([
  'arguments',
  'input',
  'parameters',
  'schema',
  'input_schema',
  'input_examples',
  'metadata',
])
/** At the top of a body they are the caller's, and `input` is the conversation. */
const OWN_AT_TOP: ReadonlySet<string> = new Set(['metadata', 'logit_bias', 'models', 'provider'])
/** Names in a path come from the caller, too. */
const PARAM_LENGTH_MAX = 200

/**
 * Finds the first mark of a prompt cache that asks for a longer life than usual, wherever it is in a body: it has no price
 * (docs/billing.md#what-is-not-sold).
 *
 * @returns a 400 that names its `ttl` as the caller wrote it; undefined when there is none
 */
export function findLongCache(body: Json): Refusal | undefined {
  const path = isJsonObject(body) ? longIn(body, OWN_AT_TOP) : undefined
  if (path === undefined) return undefined
  const param = path.slice(1, 1 + PARAM_LENGTH_MAX)
  return refuse(
    'invalid_request',
    `\`${param}\` asks for a prompt cache that lives longer than usual, which is not offered: this gateway has no price for that.`,
    { param },
  )
}

/** The path to the mark's life: `.messages[2].cache_control.ttl`. */
function longIn(object: JsonObject, own: ReadonlySet<string>): string | undefined {
  for (const name in object) {
    const value = object[name]
    if (typeof value !== 'object' || value === null || own.has(name)) continue
    const found = isJsonObject(value) ? (longLife(name, value) ?? longIn(value, OWN)) : longInList(value)
    if (found !== undefined) return `.${name}${found}`
  }
  return undefined
}

function longInList(list: Json): string | undefined {
  if (!Array.isArray(list)) return undefined
  for (let i = 0; i < list.length; i++) {
    const value = list[i] as Json
    const found = isJsonObject(value) ? longIn(value, OWN) : longInList(value)
    if (found !== undefined) return `[${i}]${found}`
  }
  return undefined
}

function longLife(name: string, mark: JsonObject): string | undefined {
  const usual = USUAL_LIVES.find(([pattern]) => pattern.test(name))?.[1]
  if (usual === undefined) return undefined
  for (const field in mark) {
    const ttl = mark[field]
    if (/^ttl$/iu.test(field) && ttl !== undefined && ttl !== null && ttl !== usual) return `.${field}`
  }
  return undefined
}
