import type { Json } from '../../core/json.ts'
import { KEY_PREFIX } from '../../core/id.ts'
import { printable } from '../../core/printable.ts'
import { hintOf } from '../../operations/hint.ts'
import type { Agent, Connection, Setting } from './agent.ts'
import type { Change } from './change.ts'
import { readSettings } from './readSettings.ts'
import { pathText } from './settingsFile.ts'

/** A key in print where none is given. */
export const NO_KEY = `${KEY_PREFIX}…`

/** One line for each value that goes (`-`) and each that comes (`+`), keys without their secret part. */
export function changesText(changes: readonly Change[]): string {
  const width = Math.max(...changes.map(({ at }) => pathText(at).length))
  const line = (sign: string, { at, secret }: Change, value: Json | undefined) =>
    value === undefined ? '' : `${sign} ${pathText(at).padEnd(width)}  ${shown(value, secret)}\n`
  return printableLines(
    changes.map((change) => line('-', change, change.before) + line('+', change, change.after)).join(''),
  )
}

/** The same for programs. */
export function changeView({ at, before, after, secret }: Change) {
  const view = (value: Json | undefined) => (value === undefined ? null : hidden(value, secret))
  return { setting: pathText(at), before: view(before), after: view(after) }
}

/** What the settings alone look like in the agent's file, the key without its secret part. */
export function settingsText(agent: Agent, connection: Connection): string {
  const file = readSettings(agent.format, undefined, agent.id)
  for (const { at, value } of shownSettings(agent, connection)) file.set(at, value)
  return file.text()
}

export function shownSettings(agent: Agent, connection: Connection): Setting[] {
  return agent
    .settings(connection)
    .map((setting) => ({ ...setting, value: hidden(setting.value, setting.secret === true) }))
}

function shown(value: Json, secret: boolean): string {
  return JSON.stringify(hidden(value, secret))
}

/** A secret becomes its first characters, and so does the password in an address. */
function hidden(value: Json, secret: boolean): Json {
  if (typeof value !== 'string') return secret ? '…' : value
  if (!secret) return value.replace(/\/\/[^/@]*@/, '//…@')
  if (value === NO_KEY) return value
  // How much of another service's key is a prefix is unknown.
  return value.startsWith(KEY_PREFIX) ? hintOf(value, KEY_PREFIX) : '…'
}

function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n')
}
