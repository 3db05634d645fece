import { Document, isMap, isNode, isSeq, parseDocument } from 'yaml'
import type { Json } from '../../core/json.ts'
import { CommandFailure } from '../usageError.ts'
import type { Path, Step } from './agent.ts'

/** The text of an agent's settings, changed value by value. What is not changed stays, comments of YAML and TOML included. */
export interface SettingsFile {
  /** Undefined: there is no such value. */
  get(path: Path): Json | undefined
  /** Creates what is missing on the way. Throws `CommandFailure` where a value on the way can hold no others. */
  set(path: Path, value: Json): void
  remove(path: Path): void
  /** How many values an object, a list, or an entry of a list beside its name has; 0 where there is none. */
  size(path: Path): number
  text(): string
}

/**
 * Settings in JSON or YAML.
 *
 * @param text undefined: there is no file yet
 * @param place how messages name the file
 * Throws `CommandFailure` for a text that cannot be changed without loss.
 */
export function readDocument(format: 'json' | 'yaml', text: string | undefined, place: string): SettingsFile {
  const document = parse(format, text ?? '', place)
  if (document.contents === null) document.contents = document.createNode({})
  if (!isMap(document.contents)) throw new CommandFailure(`${place} is not an object: change it by hand`)

  function get(path: Path): Json | undefined {
    if (path.length === 0) return document.toJS() as Json
    const keys = keysOf(document, path)
    if (keys === undefined || !document.hasIn(keys)) return undefined
    const node: unknown = document.getIn(keys, true)
    return isNode(node) ? (node.toJS(document) as Json) : null
  }

  function set(path: Path, value: Json): void {
    for (const [at, step] of path.entries()) {
      const here = path.slice(0, at)
      const next = path[at + 1]
      const keys = keysOf(document, here) ?? []
      checkHolds(document.getIn(keys, true), step, `${place}: ${pathText(here)}`)
      if (next !== undefined && get(path.slice(0, at + 1)) !== undefined) continue
      const filling = next === undefined ? value : typeof next === 'string' ? {} : []
      if (typeof step !== 'string')
        document.addIn(keys, document.createNode(next === undefined ? value : { [step.by]: step.is }))
      // A scalar is set into the one that is there, which keeps the comment behind it.
      else if (typeof filling === 'object' && filling !== null)
        document.setIn([...keys, step], document.createNode(filling))
      else document.setIn([...keys, step], filling)
    }
  }

  return {
    get,
    set,
    remove(path) {
      const keys = keysOf(document, path)
      if (keys !== undefined && document.hasIn(keys)) document.deleteIn(keys)
    },
    size(path) {
      const value = get(path)
      if (typeof value !== 'object' || value === null) return value === undefined ? 0 : 1
      return Object.keys(value).length - (typeof path.at(-1) === 'object' ? 1 : 0)
    },
    text: () => (format === 'yaml' ? document.toString({ lineWidth: 0 }) : jsonText(document, text)),
  }
}

/** `providers.tollgate.baseUrl`, `models[Tollgate].apiKey` */
export function pathText(path: Path): string {
  if (path.length === 0) return 'the file'
  return path.map((step, at) => stepText(step, at === 0)).join('')
}

function stepText(step: Step, first: boolean): string {
  if (typeof step !== 'string') return `[${step.is}]`
  return first ? step : `.${step}`
}

function parse(format: 'json' | 'yaml', text: string, place: string): Document {
  if (format === 'yaml') {
    const document = parseDocument(text)
    if (document.errors.length > 0)
      throw new CommandFailure(`${place} is not valid YAML: correct it, or change it by hand`)
    return document
  }
  try {
    return new Document(text.trim() === '' ? {} : (JSON.parse(text) as Json))
  } catch (cause) {
    throw new CommandFailure(
      `${place} is not valid JSON, or has comments, which would be lost: change it by hand`,
      { cause },
    )
  }
}

/** The keys of a path as the library takes them: entries of lists by their index. Undefined: an entry is missing. */
function keysOf(document: Document, path: Path): (string | number)[] | undefined {
  const keys: (string | number)[] = []
  for (const step of path) {
    if (typeof step === 'string') {
      keys.push(step)
      continue
    }
    const list: unknown = document.getIn(keys, true)
    const index = isSeq(list)
      ? list.items.findIndex((item) => isMap(item) && item.get(step.by) === step.is)
      : -1
    if (index < 0) return undefined
    keys.push(index)
  }
  return keys
}

/** Throws `CommandFailure` unless the node can hold what the step names. */
function checkHolds(node: unknown, step: Step, what: string): void {
  const isEntry = typeof step !== 'string'
  if (isEntry ? isSeq(node) : isMap(node)) return
  throw new CommandFailure(`${what} is not ${isEntry ? 'a list' : 'an object'}: change it by hand`)
}

/** Indented as the text was. */
function jsonText(document: Document, before: string | undefined): string {
  const indent = /^[{[]\s*?\n([ \t]+)/.exec(before ?? '')?.[1] ?? '  '
  return `${JSON.stringify(document.toJS(), null, indent)}\n`
}
