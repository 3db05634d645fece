import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Node } from 'yaml'
import { expand, type Environment, missingVariable } from './environment.ts'
import type { ConfigPath } from './problem.ts'
import { foreignIn, withoutByteOrderMark } from './checkText.ts'
import { syntaxMistakes, type SyntaxMistake } from './syntaxWords.ts'
import { quotedName } from './values.ts'
import { unveil, veil } from './veil.ts'

/** A configuration file beyond this many values is refused: aliases can multiply. */
const MAX_NODES = 100_000
/** What the parser itself puts on plain, quoted and collected values. */
const STANDARD_TAGS = /^tag:yaml\.org,2002:|^!$|^\?$/
/** Deeper nesting is refused: an alias can stand inside its own anchor. */
const MAX_DEPTH = 32

/**
 * The file's content. Every scalar is text as it was written: the schema gives it its type, so that a
 * price is read from its digits and never from a float. A null or an empty value is absent.
 */
export type Tree = string | undefined | readonly Tree[] | TreeMap
export interface TreeMap {
  readonly [key: string]: Tree
}

/** A position in a file, both from 1. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** What turns a path back into a place in the file. */
export interface Source {
  readonly file: string
  /** The place of the value or, for what is missing, of the nearest thing around it. */
  placeOf(path: ConfigPath, part: 'key' | 'value'): Place | undefined
  /** Puts `${NAME}` back where a message quotes a value that came from the environment. */
  redact(message: string): string
}

export interface ParsedYaml {
  readonly tree: Tree
  readonly source: Source
  readonly mistakes: readonly { readonly path: ConfigPath; readonly message: string }[]
  /** Mistakes of YAML itself: then the tree is not to be trusted. */
  readonly syntax: readonly { readonly place: Place; readonly message: string }[]
}

/** Reads YAML into a tree with places, replacing references to the environment in scalar values. */
export function parseYamlTree(written: string, file: string, environment: Environment): ParsedYaml {
  const text = withoutByteOrderMark(written)
  const lines = new LineCounter()
  const document = parseDocument(veil(text), {
    schema: 'failsafe',
    lineCounter: lines,
    prettyErrors: false,
  })
  const places = new Map<string, number>()
  const expansions = new Map<string, string>()
  const mistakes: { path: ConfigPath; message: string }[] = []
  const unresolved: SyntaxMistake[] = []
  let nodes = 0

  function placeAt(offset: number): Place {
    const { line, col } = lines.linePos(offset)
    return { line, column: col }
  }

  function mark(path: ConfigPath, node: Node | null): void {
    if (node?.range) places.set(JSON.stringify(path), node.range[0])
  }

  function read(node: Node | null, path: ConfigPath): Tree {
    if (node === null || ++nodes > MAX_NODES) return undefined
    if (path.length > MAX_DEPTH) {
      mistakes.push({ path, message: `is nested deeper than ${MAX_DEPTH} levels` })
      return undefined
    }
    checkTag(node, path)
    if (isAlias(node)) {
      const target = node.resolve(document)
      if (target === undefined && node.source !== '') {
        const message = `names the anchor ${quotedName(node.source)}, which is not before it`
        unresolved.push({ offset: node.range?.[0] ?? 0, message })
      }
      return read(target ?? null, path)
    }
    if (isScalar(node)) return readScalar(node, path)
    if (isSeq(node)) {
      return node.items.map((item, index) => {
        mark([...path, index], item as Node | null)
        return read(item as Node | null, [...path, index])
      })
    }
    return isMap(node) ? readMap(node, path) : undefined
  }

  /** `!include` and the like would otherwise be read past, and leave their argument as the value. */
  function checkTag(node: Node, path: ConfigPath): void {
    if (isAlias(node) || node.tag === undefined || STANDARD_TAGS.test(node.tag)) return
    mistakes.push({ path, message: `has the tag ${quotedName(node.tag)}: a configuration has none` })
  }

  function readMap(node: { items: { key: unknown; value: unknown }[] }, path: ConfigPath): TreeMap {
    const map: Record<string, Tree> = Object.create(null) as Record<string, Tree>
    for (const { key, value } of node.items) {
      if (!isScalar(key)) {
        mistakes.push({ path, message: 'has a key that is not a plain name' })
        continue
      }
      const name = unveil(String(key.value))
      if (name === '<<') {
        // A merge key gives what the map itself does not say.
        const merged = read(value as Node | null, path)
        if (isTreeMap(merged)) for (const [k, v] of Object.entries(merged)) map[k] ??= v
        continue
      }
      const at = [...path, name]
      mark(at, key)
      if (hasRange(value)) places.set(valueKey(at), value.range[0])
      map[name] = read(value as Node | null, at)
    }
    return map
  }

  function readScalar(node: { value: unknown; type?: string | undefined }, path: ConfigPath): Tree {
    const written = unveil(String(node.value))
    if (node.type === 'PLAIN' && /^(?:~|null|Null|NULL)?$/.test(written)) return undefined
    const expansion = expand(written, environment)
    if (!expansion.ok) {
      for (const name of expansion.missing) mistakes.push({ path, message: missingVariable(name) })
      return written
    }
    if (expansion.expanded) expansions.set(expansion.text, written)
    return expansion.text
  }

  const tree = read(document.contents, [])
  const foreign = foreignIn(text)
  if (nodes > MAX_NODES) mistakes.push({ path: [], message: `holds more than ${MAX_NODES} values` })

  return {
    tree,
    mistakes,
    syntax: (foreign ? [foreign] : [...syntaxMistakes(document, text), ...unresolved]).map(
      ({ offset, message }) => ({
        place: placeAt(offset),
        message: unveil(message),
      }),
    ),
    source: {
      file,
      placeOf(path, part) {
        for (let length = path.length; length > 0; length--) {
          const at = path.slice(0, length)
          const value = part === 'value' && length === path.length ? places.get(valueKey(at)) : undefined
          const offset = value ?? places.get(JSON.stringify(at))
          if (offset !== undefined) return placeAt(offset)
        }
        return undefined
      },
      redact(message) {
        let redacted = message
        for (const [value, written] of expansions)
          redacted = redacted.replaceAll(JSON.stringify(value), JSON.stringify(written))
        return redacted
      },
    },
  }
}

export function isTreeMap(tree: unknown): tree is TreeMap {
  return typeof tree === 'object' && tree !== null && !Array.isArray(tree)
}

function valueKey(path: ConfigPath): string {
  return `value:${JSON.stringify(path)}`
}

function hasRange(node: unknown): node is { range: [number, number, number] } {
  return typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range)
}
