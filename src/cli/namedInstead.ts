import { GatewayError, refuse } from '../core/error.ts'
import { ADMIN_TOKEN_PREFIX, KEY_PREFIX } from '../core/id.ts'
import { printable, printableStart, REPEATED_LENGTH_MAX, shellWord } from '../core/printable.ts'
import { unknownId } from '../operations/id.ts'
import type { Operations, Query } from '../operations/operations.ts'
import type { ListView } from '../operations/page.ts'
import { type Command, optionsOf } from './command.ts'
import type { Arguments } from './parseArguments.ts'

/** How far a name is looked for: a courtesy must not read a large installation to its end. */
const PAGES_MAX = 5
const PAGE_LIMIT = 100
const WORKSPACES_MAX = 20

const SHOWN_LENGTH_MAX = 80
/** So many things of one name are named. */
const FOUND_SHOWN_MAX = 3

/** The arguments and options that take an id of something with a name. */
const KINDS = {
  workspace: {
    noun: 'workspace',
    prefix: 'ws_',
    list: 'tollgate workspace list --all',
    newest: `of the newest ${PAGES_MAX * PAGE_LIMIT} workspaces none`,
    find: findWorkspaces,
  },
  key: {
    noun: 'key',
    prefix: 'key_',
    list: 'tollgate key list WORKSPACE --all',
    newest: `of the newest ${PAGE_LIMIT} keys of the newest ${WORKSPACES_MAX} workspaces none`,
    find: findKeys,
  },
  token: {
    noun: 'admin token',
    prefix: 'token_',
    list: 'tollgate token list --all',
    newest: `of the newest ${PAGES_MAX * PAGE_LIMIT} admin tokens none`,
    find: findTokens,
  },
} as const

type Name = keyof typeof KINDS

/** A command as it was given. */
export interface Given extends Arguments {
  readonly command: Command
}

interface Named {
  readonly id: string
  readonly name: string
  readonly status: 'active' | 'expired' | 'revoked'
  /** Of a key. */
  readonly workspace?: string
}

interface Search {
  readonly found: readonly Named[]
  /** Everything there is was looked at. */
  readonly whole: boolean
}

/** Does what works by ids, and explains a name in the place of one. */
export async function explainingNames<Result>(
  given: Given,
  operations: Operations,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw await namedInstead(error, given, operations)
  }
}

/**
 * What to say when an id is unknown: where a name stands in its place, what has this name, and the command to give.
 * Nobody who hurries may read "there is no admin token" as "it is gone already". Other errors stay as they are, and
 * nothing is ever done by a name.
 */
async function namedInstead(error: unknown, given: Given, operations: Operations): Promise<unknown> {
  if (!(error instanceof GatewayError) || error.refusal.code !== 'not_found') return error
  const name = unknownOf(error, given)
  if (name === undefined) return error
  try {
    const message = await explanation(name, given, operations)
    return message === undefined ? error : new GatewayError(refuse('not_found', message), { cause: error })
  } catch {
    // That there is no such thing is known; what else there is could not be found out.
    return error
  }
}

/** The argument that the refusal is about. A remote of another version may say it in other words. */
function unknownOf({ refusal }: GatewayError, { values }: Given): Name | undefined {
  const names = (Object.keys(KINDS) as Name[]).filter((name) => {
    const text = values[name]
    return text !== undefined && !text.startsWith(KEY_PREFIX) && !text.startsWith(ADMIN_TOKEN_PREFIX)
  })
  const isMeant = (name: Name) =>
    unknownId(KINDS[name].noun, values[name] ?? '').refusal.message === refusal.message
  return names.find(isMeant) ?? names.find((name) => values[name]?.startsWith(KINDS[name].prefix) === false)
}

async function explanation(name: Name, given: Given, operations: Operations): Promise<string | undefined> {
  const { noun, prefix, list, newest, find } = KINDS[name]
  const text = given.values[name] ?? ''
  const shown = printableStart(text, SHOWN_LENGTH_MAX)
  const other = Object.values(KINDS).find((kind) => kind.prefix !== prefix && isIdOf(kind.prefix, text))
  if (other) return `"${shown}" is the id of a ${other.noun}, not of ${article(noun)}. List them: ${list}`
  const { found, whole } = best(text, await find(operations))
  const isId = text.startsWith(prefix)
  if (found.length === 0) {
    if (isId) return undefined
    return `"${shown}" is not an id, and ${whole ? `no ${noun} has this name` : `${newest} has this name`}. List them: ${list}`
  }
  const opening = isId ? `There is no ${noun} "${shown}".` : `"${shown}" is not an id.`
  const rest = whole ? again(found, name, given) : `. There are more than these: ${list}`
  return `${opening} ${namesakes(found, whole, noun)}${rest}`
}

function namesakes(found: readonly Named[], whole: boolean, noun: string): string {
  const label = printableStart(found[0]?.name ?? '', SHOWN_LENGTH_MAX)
  const named = found.slice(0, FOUND_SHOWN_MAX).map((one) => {
    const place = one.workspace === undefined ? '' : ` of ${printable(one.workspace)}`
    return `${printable(one.id)}${place}${one.status === 'active' ? '' : ` (${one.status})`}`
  })
  if (found.length === 1) return `${whole ? 'The' : 'One'} ${noun} named "${label}" is ${named.join('')}`
  const more = found.length - named.length
  const count = `${whole ? '' : 'At least '}${found.length} ${noun}s are named "${label}"`
  return `${count}: ${named.join(', ')}${more > 0 ? `, and ${more} more` : ''}`
}

/** The command to give, where it is short and clear which of them is meant: the only one that is not revoked. */
function again(found: readonly Named[], name: Name, given: Given): string {
  const [one, ...others] = found.filter(({ status }) => status !== 'revoked')
  const repeatable = Object.values(given.values).every(({ length }) => length <= REPEATED_LENGTH_MAX)
  if (!one || others.length > 0 || !repeatable) return '.'
  return `${found.length === 1 ? ': ' : '. The one that is not revoked: '}${commandWith(one.id, name, given)}`
}

/** Of the same name; only where there is none, of one that differs in capitals. Those in force first. */
function best(text: string, { found, whole }: Search): Search {
  const wanted = text.trim()
  const same = found.filter(({ name }) => name === wanted)
  const alike = found.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase())
  const order = ({ status }: Named) => (status === 'active' ? 0 : status === 'expired' ? 1 : 2)
  return { found: (same.length > 0 ? same : alike).toSorted((a, b) => order(a) - order(b)), whole }
}

async function findWorkspaces(operations: Operations): Promise<Search> {
  const { rows, whole } = await newestOf((query) => operations.workspaces(query))
  return { found: rows.map(({ id, name }) => ({ id, name, status: 'active' })), whole }
}

async function findTokens(operations: Operations): Promise<Search> {
  const { rows, whole } = await newestOf((query) => operations.adminTokens(query))
  return { found: rows, whole }
}

/** Keys are listed by workspace: the newest of each of the newest workspaces. */
async function findKeys(operations: Operations): Promise<Search> {
  const workspaces = await operations.workspaces({ limit: String(WORKSPACES_MAX) })
  const found: Named[] = []
  let whole = workspaces.next_cursor === null
  for (const { id: workspace } of workspaces.data) {
    const keys = await operations.keys(workspace, { limit: String(PAGE_LIMIT) })
    found.push(...keys.data.map(({ id, name, status }) => ({ id, name, status, workspace })))
    whole &&= keys.next_cursor === null
  }
  return { found, whole }
}

async function newestOf<View>(
  fetchPage: (query: Query) => Promise<ListView<View>>,
): Promise<{ rows: View[]; whole: boolean }> {
  const rows: View[] = []
  let cursor: string | undefined
  for (let page = 0; page < PAGES_MAX; page++) {
    const { data, next_cursor: next } = await fetchPage({ limit: String(PAGE_LIMIT), cursor })
    rows.push(...data)
    if (next === null) return { rows, whole: true }
    cursor = next
  }
  return { rows, whole: false }
}

/** The command as it was given, with the id in the place of the name. Secrets are left out: it is shown. */
function commandWith(id: string, name: Name, { command, values, switches }: Given): string {
  const given: Readonly<Record<string, string>> = { ...values, [name]: id }
  const words = ['tollgate', command.name]
  for (const { name: positional } of command.positionals) {
    const value = given[positional]
    if (value === undefined) continue
    words.push(value.startsWith('-') ? `--${positional}=${shellWord(value)}` : shellWord(value))
  }
  for (const [option, { value: placeholder }] of Object.entries(optionsOf(command))) {
    if (command.positionals.some((positional) => positional.name === option)) continue
    const value = given[option]
    if (switches.has(option)) words.push(`--${option}`)
    else if (value !== undefined)
      words.push(`--${option}`, isSecret(option, value) ? (placeholder ?? '') : shellWord(value))
  }
  return words.join(' ')
}

function isSecret(option: string, value: string): boolean {
  return option === 'admin-token' || (option.endsWith('url') && value.includes('@'))
}

function isIdOf(prefix: string, text: string): boolean {
  return text.startsWith(prefix) && /^[0-9A-Z]{26}$/.test(text.slice(prefix.length))
}

function article(noun: string): string {
  return `${noun.startsWith('a') ? 'an' : 'a'} ${noun}`
}
