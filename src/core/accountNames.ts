import type { ChatRequest } from './chat/request.ts'
import { type Refusal, refuse } from './error.ts'

/** Fields that name something which was uploaded to an account at a provider. */
const NAMES: ReadonlySet<string> = new Set([
  'file_id',
  'file_ids',
  'vector_store_id',
  'vector_store_ids',
  'container',
  'container_id',
])
/** Addresses that a provider reads with the account of the gateway. */
const ADDRESS = /^\s*(?:(?:gs|s3):\/\/|https?:\/\/generativelanguage\.googleapis\.com\/)/i
/** Strings that people and models write. */
const TEXTS: ReadonlySet<string> = new Set(['text', 'content'])
/** What the caller's own programs write and read. */
const OWN: ReadonlySet<string> = new Set([
  'tool_calls',
  'arguments',
  'input',
  'parameters',
  'schema',
  'metadata',
])
/** Names in a path come from the caller, too. */
const PARAM_LENGTH_MAX = 200

/**
 * Finds the first thing in a request that names something in the operator's account at a provider: an uploaded file, a
 * store, a container. All workspaces share the operator's account, so one would read what is another's.
 *
 * @returns a 400 that names the field; undefined when there is none
 */
export function findAccountName({ messages }: ChatRequest): Refusal | undefined {
  for (let i = 0; i < messages.length; i++) {
    const message = messages[i]
    for (const name in message) {
      const value = message[name]
      if (!isHolder(value) || OWN.has(name)) continue
      const within = nameWithin(value)
      if (within !== undefined) return refusal(`messages[${i}].${name}${within}`.slice(0, PARAM_LENGTH_MAX))
    }
  }
  return undefined
}

/** The path to the first name in an object or a list: `[2].file.file_id`. */
function nameWithin(holder: object): string | undefined {
  if (Array.isArray(holder)) {
    for (let i = 0; i < holder.length; i++) {
      const item: unknown = holder[i]
      const found = isHolder(item) ? nameWithin(item) : undefined
      if (found !== undefined) return `[${i}]${found}`
    }
    return undefined
  }
  const fields = holder as Readonly<Record<string, unknown>>
  for (const name in fields) {
    const value = fields[name]
    if (OWN.has(name)) continue
    if (isHolder(value)) {
      if (NAMES.has(name) && !isEmpty(value)) return `.${name}`
      if (name === 'source' && 'type' in value && value.type === 'file') return `.${name}`
      const found = nameWithin(value)
      if (found !== undefined) return `.${name}${found}`
    } else if (typeof value === 'string') {
      if ((NAMES.has(name) && value !== '') || (!TEXTS.has(name) && ADDRESS.test(value))) return `.${name}`
    }
  }
  return undefined
}

function isHolder(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0
}

function refusal(param: string): Refusal {
  return refuse(
    'invalid_request',
    `\`${param}\` names something in the provider's account, which all users of this gateway share. Send the content itself.`,
    { param },
  )
}
