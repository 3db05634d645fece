import { type Json, type JsonObject, isJsonObject } from '../../core/json.ts'
import { InvalidField } from '../check.ts'

/** What the caller's programs write: marks within it are none. */
const OWN: ReadonlySet<string> = new Set(['input', 'input_schema', 'metadata', 'schema'])
/** Names in a path come from the caller, too. */
const PARAM_LENGTH_MAX = 200
/** The usual life, for which there is a price. */
const USUAL = '5m'

/**
 * Refuses marks of the prompt cache that ask for a longer life than usual, wherever they are: writing it has no price. Throws
 * `InvalidField`.
 */
export function refuseLongCaches(body: JsonObject): void {
  const path = longCacheWithin(body)
  if (path !== undefined)
    throw new InvalidField(
      path.slice(0, PARAM_LENGTH_MAX),
      'asks for a prompt cache that lives longer than usual, which is not offered: this gateway has no price for that',
    )
}

function longCacheWithin(value: Json | undefined): string | undefined {
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const found = longCacheWithin(value[i] as Json)
      if (found !== undefined) return `[${i}]${found.startsWith('[') ? '' : '.'}${found}`
    }
    return undefined
  }
  if (!isJsonObject(value)) return undefined
  for (const name in value) {
    const inner = value[name]
    if (typeof inner !== 'object' || inner === null || OWN.has(name)) continue
    if (name === 'cache_control' && isJsonObject(inner) && !isUsual(inner.ttl)) return 'cache_control.ttl'
    const found = longCacheWithin(inner)
    if (found !== undefined) return `${name}${found.startsWith('[') ? '' : '.'}${found}`
  }
  return undefined
}

function isUsual(ttl: Json | undefined): boolean {
  return ttl === undefined || ttl === null || ttl === USUAL
}
