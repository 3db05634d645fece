import { type Json, type JsonObject, isJsonObject } from '../core/json.ts'

/** Words that speak of what a call costs the operator, and of whom it is bought from. */
const PRIVATE_WORDS = new Set(
  `bill billed billing bills cost costs credential credentials market marketplace markets payment payments price priced
  prices pricing provider providers route routed router routes routing`.split(/\s+/),
)
const API_KEY = /\bapi ?keys?\b/
const PRIVATE_NAMES = new Set(['internal', 'is_byok'])
/** What the model or the caller wrote: whatever is in it is theirs. */
const THEIRS = new Set(['arguments', 'content', 'input', 'metadata', 'parameters', 'schema', 'text'])
/** Names whose verdict is kept; providers use a few, and each further one is read each time. */
const KNOWN_NAMES_MAX = 1_000

const verdicts = new Map<string, boolean>()

/**
 * Whether a field that the interface does not know stays inside the gateway: its name says so, or that of a field within it
 * at any depth. What the model or the caller wrote is never looked into.
 */
export function staysInside(name: string, value: Json | undefined): boolean {
  if (isPrivate(name)) return true
  return !THEIRS.has(name) && typeof value === 'object' && value !== null && holdsPrivate(value)
}

/**
 * An object without what stays inside: the same object where it has nothing of it.
 * @param known the fields of the interface, which are not looked into
 */
export function withoutInside(object: JsonObject, known: ReadonlySet<string>): JsonObject {
  for (const name in object) {
    if (known.has(name) || !staysInside(name, object[name])) continue
    const kept = Object.entries(object).filter(([key, value]) => known.has(key) || !staysInside(key, value))
    return Object.fromEntries(kept)
  }
  return object
}

function holdsPrivate(value: Json): boolean {
  if (Array.isArray(value)) return value.some((item) => holdsPrivate(item as Json))
  return isJsonObject(value) && Object.entries(value).some(([name, inner]) => staysInside(name, inner))
}

function isPrivate(name: string): boolean {
  const known = verdicts.get(name)
  if (known !== undefined) return known
  const words = wordsOf(name)
  const verdict =
    PRIVATE_NAMES.has(name) || words.some((word) => PRIVATE_WORDS.has(word)) || API_KEY.test(words.join(' '))
  if (verdicts.size < KNOWN_NAMES_MAX) verdicts.set(name, verdict)
  return verdict
}

/** `totalCost`, `total_cost` and `total-cost` have the same two. */
function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
}
