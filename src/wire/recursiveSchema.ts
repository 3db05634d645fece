import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { isExactNumber } from '../core/exactNumber.ts'

/** A chain of more references is as deep as the engine's stack, and no schema of a person. */
const CHAIN_MAX = 500

/** Whether a JSON schema contains itself: whether a reference leads back to where it is, or on without an end in sight. */
export function isRecursive(root: JsonObject): boolean {
  const definitions = new Map<string, JsonObject>()
  for (const word of ['$defs', 'definitions'])
    for (const [name, value] of Object.entries(root[word] ?? {}))
      if (isJsonObject(value)) definitions.set(`#/${word}/${name}`, value)
  const done = new Set<string>()
  const open = new Set<string>()
  function leadsBack(value: Json | undefined): boolean {
    if (Array.isArray(value)) return value.some((item) => leadsBack(item as Json))
    if (!isJsonObject(value) || isExactNumber(value)) return false
    const { $ref: reference } = value
    if (typeof reference === 'string' && reachesItself(reference)) return true
    return Object.values(value).some(leadsBack)
  }
  function reachesItself(reference: string): boolean {
    if (reference === '#' || open.has(reference)) return true
    const definition = definitions.get(reference)
    if (!definition || done.has(reference)) return false
    if (open.size >= CHAIN_MAX) return true
    open.add(reference)
    const found = leadsBack(definition)
    open.delete(reference)
    done.add(reference)
    return found
  }
  const { $defs: _, definitions: __, ...own } = root
  return leadsBack(own) || [...definitions.keys()].some(reachesItself)
}
