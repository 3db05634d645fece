/** A change to a JSON text: another value at a path, or none. */
export interface JsonEdit {
  /** Names of members and places of items, from the top. It ends with a name. */
  readonly path: readonly (string | number)[]
  /** The new value as JSON. Absent: the member goes. */
  readonly json?: string
}

/**
 * Changes a JSON text and leaves every other character of it as it is: the spelling of its numbers, its escapes, its white
 * space, its order. Where an object has a name twice, both change. A path that the text does not have changes nothing.
 *
 * @param text valid JSON
 */
export function editJson(text: string, edits: readonly JsonEdit[]): string {
  if (edits.length === 0) return text
  const cuts: Cut[] = []
  walk(text, skipSpace(text, 0), edits, 0, cuts)
  let edited = ''
  let at = 0
  for (const { from, to, json } of cuts) {
    edited += text.slice(at, from) + json
    at = to
  }
  return edited + text.slice(at)
}

/**
 * The items of the list at a path, each as it is written. Empty where the text has no list there.
 *
 * @param text valid JSON
 * @param path names of members, from the top
 */
export function itemTexts(text: string, path: readonly string[]): string[] {
  let at = skipSpace(text, 0)
  for (const name of path) {
    const value = findMember(text, at, name)
    if (value === undefined) return []
    at = value
  }
  if (text.charCodeAt(at) !== OPEN_BRACKET) return []
  const items: string[] = []
  at = skipSpace(text, at + 1)
  while (at < text.length && text.charCodeAt(at) !== CLOSE_BRACKET) {
    const end = skipValue(text, at)
    items.push(text.slice(at, end))
    at = skipSpace(text, end)
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1)
  }
  return items
}

/** Where the value of a member begins: of its last, which is what parsing gives, where an object has the name twice. */
function findMember(text: string, start: number, name: string): number | undefined {
  if (text.charCodeAt(start) !== OPEN_BRACE) return undefined
  let found: number | undefined
  let at = skipSpace(text, start + 1)
  while (text.charCodeAt(at) === QUOTE) {
    const nameEnd = skipString(text, at)
    const value = skipSpace(text, skipSpace(text, nameEnd) + 1)
    if (nameOf(text, at, nameEnd) === name) found = value
    at = skipSpace(text, skipValue(text, value))
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1)
  }
  return found
}

/** What comes between two places of the text instead. */
interface Cut {
  readonly from: number
  readonly to: number
  readonly json: string
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const SPACE = 0x20

/**
 * Notes the cuts within a value.
 *
 * @param edits those whose path leads through this value, or to it
 * @param depth how many steps of their paths are taken
 * @returns the place behind the value
 */
function walk(text: string, start: number, edits: readonly JsonEdit[], depth: number, cuts: Cut[]): number {
  if (edits.length === 0) return skipValue(text, start)
  switch (text.charCodeAt(start)) {
    case OPEN_BRACE:
      return walkObject(text, start, edits, depth, cuts)
    case OPEN_BRACKET:
      return walkArray(text, start, edits, depth, cuts)
    default:
      return skipValue(text, start)
  }
}

function walkObject(
  text: string,
  start: number,
  edits: readonly JsonEdit[],
  depth: number,
  cuts: Cut[],
): number {
  const byName = stepsOf(edits, depth)
  let at = skipSpace(text, start + 1)
  /** Behind the member before, and whether one before it stays. */
  let before = at
  let stays = false
  while (text.charCodeAt(at) === QUOTE) {
    const member = at
    const nameEnd = skipString(text, at)
    const name = nameOf(text, member, nameEnd)
    const value = skipSpace(text, skipSpace(text, nameEnd) + 1)
    const inside = byName.get(name) ?? NO_EDITS
    const here = inside.find(({ path }) => path.length === depth + 1)
    const end = here ? skipValue(text, value) : walk(text, value, inside, depth + 1, cuts)
    const behind = skipSpace(text, end)
    const isLast = text.charCodeAt(behind) !== COMMA
    const next = isLast ? behind : skipSpace(text, behind + 1)
    if (here?.json !== undefined) cuts.push({ from: value, to: end, json: here.json })
    // With a member goes one comma: that before it, or that behind it where nothing is left before it.
    else if (here)
      cuts.push(stays ? { from: before, to: end, json: '' } : { from: member, to: next, json: '' })
    stays ||= !here || here.json !== undefined
    before = end
    at = next
    if (isLast) break
  }
  return at + 1
}

function walkArray(
  text: string,
  start: number,
  edits: readonly JsonEdit[],
  depth: number,
  cuts: Cut[],
): number {
  const byPlace = stepsOf(edits, depth)
  let at = skipSpace(text, start + 1)
  if (text.charCodeAt(at) === CLOSE_BRACKET) return at + 1
  for (let place = 0; ; place++) {
    at = skipSpace(text, walk(text, at, byPlace.get(place) ?? NO_EDITS, depth + 1, cuts))
    if (text.charCodeAt(at) !== COMMA) return at + 1
    at = skipSpace(text, at + 1)
  }
}

const NO_EDITS: readonly JsonEdit[] = []

/** A provider decides how many members and items a text has, and how many of them are edited: each is looked up. */
function stepsOf(
  edits: readonly JsonEdit[],
  depth: number,
): ReadonlyMap<string | number | undefined, readonly JsonEdit[]> {
  return Map.groupBy(edits, ({ path }) => path[depth])
}

function nameOf(text: string, start: number, end: number): string {
  const name = text.slice(start + 1, end - 1)
  return name.includes('\\') ? (JSON.parse(text.slice(start, end)) as string) : name
}

/** The place behind a value: a string, a number, a word, an object or a list. */
function skipValue(text: string, start: number): number {
  let depth = 0
  let at = start
  while (at < text.length) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = skipString(text, at)
      if (depth === 0) return at
      continue
    }
    if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      if (depth === 0) return at
      if (--depth === 0) return at + 1
    } else if (depth === 0 && (code === COMMA || code <= SPACE)) return at
    at++
  }
  return at
}

/** The place behind a string that begins at `start`. */
function skipString(text: string, start: number): number {
  let at = start
  for (;;) {
    at = text.indexOf('"', at + 1)
    if (at === -1) return text.length
    let slashes = at
    while (text.charCodeAt(slashes - 1) === BACKSLASH) slashes--
    if ((at - slashes) % 2 === 0) return at + 1
  }
}

function skipSpace(text: string, start: number): number {
  let at = start
  while (at < text.length && text.charCodeAt(at) <= SPACE) at++
  return at
}
