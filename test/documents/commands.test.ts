import { expect, test } from 'bun:test'
import { withCommandTable } from '../../scripts/commandTable.ts'
import { type Option, optionsOf } from '../../src/cli/command.ts'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { DEFAULT_CONFIG_PATH } from '../../src/config/loadSettings.ts'
import { serverSchema } from '../../src/config/schema.ts'
import { RotationBody } from '../../src/operations/key.ts'
import { PAGE_LIMIT_DEFAULT } from '../../src/operations/page.ts'
import { UsageQuery } from '../../src/operations/usage.ts'
import { expectCurrent } from '../support/generated.ts'
import { codesIn, readPage, tableOf } from './page.ts'

const PAGE = readPage('docs/cli.md')

test('docs/cli.md names every command in its first table', () => {
  const named = tableOf(PAGE, 'Command line').flatMap(({ cells: [cell = ''] }) => {
    const [first = '', ...verbs] = codesIn(cell)
    return [first, ...verbs.map((verb) => `${first.split(' ')[0]} ${verb}`)]
  })
  expect(named.toSorted()).toEqual(COMMANDS.map(({ name }) => name).toSorted())
})

test('docs/cli.md has every option of every command', () => {
  expectCurrent(PAGE.path, PAGE.text, withCommandTable(PAGE.text), 'scripts/updateCommandTable.ts')
})

const SERVER = serverSchema.parse({})
/** What an option is that is not given. */
const DEFAULTS: Readonly<Record<string, unknown>> = {
  'serve --host': SERVER.host,
  'serve --port': SERVER.port,
  'workspace create --type': 'personal',
  'key rotate --overlap-seconds': RotationBody.parse({}).overlap_seconds,
  'ledger export --format': 'csv',
  'usage --group-by': UsageQuery.parse({}).group_by,
  '--config': DEFAULT_CONFIG_PATH,
  '--limit': PAGE_LIMIT_DEFAULT,
}

test('the defaults in help texts are true', () => {
  const told = COMMANDS.flatMap((command) =>
    Object.entries(optionsOf(command)).flatMap(([name, { help }]: [string, Option]) => {
      const [, value] = /default ([\w.]+)\)$/.exec(help) ?? []
      return value === undefined ? [] : [{ option: `${command.name} --${name}`, shared: `--${name}`, value }]
    }),
  )
  const wrong = told.filter(
    ({ option, shared, value }) => String(DEFAULTS[option] ?? DEFAULTS[shared]) !== value,
  )
  expect(wrong).toEqual([])
  const known = new Set(told.flatMap(({ option, shared }) => [option, shared]))
  expect(Object.keys(DEFAULTS).filter((option) => !known.has(option))).toEqual([])
})
