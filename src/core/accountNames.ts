import { isAccountAddress, isFileText } from './accountAddress.ts'
import type { ChatRequest } from './chat/request.ts'
import { type Refusal, refuse } from './error.ts'
import type { JsonObject } from './json.ts'

/**
 * Fields that name something in an account at a provider, without case and in the ways of Python and of JavaScript, as
 * some servers read them: files (OpenAI, Anthropic, Mistral, xAI), stores, containers, caches (Gemini), libraries
 * (Mistral) and collections (xAI).
 */
const NAMES =
  /^(?:file_?ids?|vector_?store_?ids?|container(?:_?id)?|cached_?content|library_?ids?|collection_?ids?)$/iu
/** Strings that people and models write, and ids that a caller gives. */
const TEXTS: ReadonlySet<string> = new Set([
  'text',
  'content',
  'reasoning_content',
  'reasoning',
  'thinking',
  'summary',
  'refusal',
  'title',
  'description',
  'definition',
  'filename',
  'name',
  'id',
  'tool_call_id',
  'stdout',
  'stderr',
  'diff',
  'command',
  'commands',
  'output',
])
/** What the caller's own programs write and read. */
const OWN: ReadonlySet<string> = new Set([
  'arguments',
  'input',
  'parameters',
  'schema',
  'input_schema',
  'input_examples',
  'metadata',
  'logit_bias',
  'safety_identifier',
  'env',
])
/** Names in a path come from the caller, too. */
const PARAM_LENGTH_MAX = 200

/**
 * Finds the first thing in a request that names something in the operator's account at a provider: an uploaded file, a
 * store, a container. All workspaces share the operator's account, so one would read what is another's.
 *
 * @returns a 400 that names the field; undefined when there is none
 */
export function findAccountName(request: ChatRequest): Refusal | undefined {
  const path = request.source ? nameInBody(request.source.body) : nameWithin('', translated(request))
  return path === undefined ? undefined : refusal(path.slice(1, 1 + PARAM_LENGTH_MAX))
}

/** The same of a body as its caller wrote it. */
export function namesAccount(body: JsonObject): boolean {
  return nameInBody(body) !== undefined
}

function translated({ messages, tools, toolChoice, responseFormat, extra }: ChatRequest): object {
  return { messages, tools, tool_choice: toolChoice, response_format: responseFormat, ...extra }
}

/**
 * What a native lane passes on. Plain fields beside these are the caller's own, such as the name of a user. Each field is looked into:
 * `input` is the conversation in one format, and what a tool is called with in others.
 */
function nameInBody(body: JsonObject): string | undefined {
  for (const name in body) {
    const value = body[name]
    if (NOT_LOOKED_INTO.has(name) || !isHolder(value)) continue
    if (namesByHolding(name, value)) return `.${name}`
    const found = nameWithin(name, value)
    if (found !== undefined) return `.${name}${found}`
  }
  return undefined
}

const NOT_LOOKED_INTO: ReadonlySet<string> = new Set([
  'metadata',
  'logit_bias',
  'stop',
  'stop_sequences',
  'models',
  'provider',
])

/** The path to the first name in an object or a list that is called `holderName`: `.messages[2].file.file_id`. */
function nameWithin(holderName: string, holder: object): string | undefined {
  if (Array.isArray(holder)) {
    for (let i = 0; i < holder.length; i++) {
      const item: unknown = holder[i]
      if (typeof item === 'string' && namesByText(holderName, item)) return `[${i}]`
      const found = isHolder(item) ? nameWithin(holderName, item) : undefined
      if (found !== undefined) return `[${i}]${found}`
    }
    return undefined
  }
  const fields = holder as Readonly<Record<string, unknown>>
  for (const name in fields) {
    const value = fields[name]
    if (typeof value === 'string') {
      if (namesByText(name, value)) return `.${name}`
    } else if (typeof value === 'number') {
      if (NAMES.test(name)) return `.${name}`
    } else if (isHolder(value) && !OWN.has(name)) {
      if (namesByHolding(name, value)) return `.${name}`
      const found = nameWithin(name, value)
      if (found !== undefined) return `.${name}${found}`
    }
  }
  return undefined
}

function namesByText(name: string, value: string): boolean {
  if (name === 'type' || value === '') return false
  if (TEXTS.has(name)) return isFileText(value)
  return !OWN.has(name) && (NAMES.test(name) || isAccountAddress(value))
}

function namesByHolding(name: string, value: object): boolean {
  if (name === 'source') return 'type' in value && value.type === 'file'
  // An answer in audio of an earlier turn (OpenAI).
  if (name === 'audio') return 'id' in value && typeof value.id === 'string'
  return NAMES.test(name) && Object.keys(value).length > 0
}

function isHolder(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function refusal(param: string): Refusal {
  return refuse(
    'invalid_request',
    `\`${param}\` names something in the provider's account, which all users of this gateway share. Send the content itself, or a public https address.`,
    { param },
  )
}
