import { isDeepStrictEqual } from 'node:util'
import { assert } from '../../core/assert.ts'
import { isJsonObject, type Json } from '../../core/json.ts'
import { CommandFailure } from '../usageError.ts'
import type { Path } from './agent.ts'
import { pathText, type SettingsFile } from './settingsFile.ts'
import { removeLine, removeTable, setLine } from './tomlLines.ts'

/** The values of a file, or of a table of it. */
type Table = Record<string, Json>

/**
 * Settings in TOML, changed line by line, so that comments and order stay. After each change the text is parsed again: a
 * change that does anything else than set or remove its one value is refused, whatever the text looks like.
 *
 * @param text empty: there is no file yet
 * @param place how messages name the file
 * Throws `CommandFailure` for a text that is not TOML.
 */
export function readToml(text: string, place: string): SettingsFile {
  let lines: readonly string[] = text.split('\n')
  let values = parse(text, `${place} is not valid TOML: correct it, or change it by hand`)

  function change(path: Path, value: Json | undefined, changed: readonly string[]): void {
    const mistake = `${place}: ${pathText(path)} cannot be changed without loss: change it by hand`
    const found = parse(changed.join('\n'), mistake)
    const expected = withValue(values, keysOf(path), value)
    if (!isDeepStrictEqual(withoutEmpty(found), withoutEmpty(expected))) throw new CommandFailure(mistake)
    lines = changed
    values = found
  }

  return {
    get: (path) => valueAt(values, path),
    set: (path, value) => change(path, value, setLine(lines, keysOf(path), value)),
    remove(path) {
      const before = valueAt(values, path)
      if (before === undefined) return
      const remove = isJsonObject(before) ? removeTable : removeLine
      change(path, undefined, remove(lines, keysOf(path)))
    },
    size(path) {
      const value = valueAt(values, path)
      if (isJsonObject(value)) return Object.keys(value).length
      return value === undefined ? 0 : 1
    },
    text: () => lines.join('\n'),
  }
}

function parse(text: string, mistake: string): Table {
  try {
    return Bun.TOML.parse(text) as Table
  } catch (cause) {
    throw new CommandFailure(mistake, { cause })
  }
}

function keysOf(path: Path): string[] {
  return path.map((step) => {
    assert(typeof step === 'string', 'settings in TOML have no lists')
    return step
  })
}

function valueAt(values: Table, path: Path): Json | undefined {
  let value: Json | undefined = values
  for (const key of keysOf(path)) value = isJsonObject(value) ? value[key] : undefined
  return value
}

/** @param value undefined: it is removed */
function withValue(table: Table, [key = '', ...below]: readonly string[], value: Json | undefined): Table {
  const { [key]: before, ...others } = table
  const after =
    below.length === 0 ? value : withValue(isJsonObject(before) ? (before as Table) : {}, below, value)
  return after === undefined ? others : { ...others, [key]: after }
}

/** Tables that exist only because of others in them go with the last of these. */
function withoutEmpty(table: Table): Table {
  const kept: Table = {}
  for (const [key, value] of Object.entries(table)) {
    const inside = isJsonObject(value) ? withoutEmpty(value as Table) : value
    if (!isJsonObject(inside) || Object.keys(inside).length > 0) kept[key] = inside
  }
  return kept
}
