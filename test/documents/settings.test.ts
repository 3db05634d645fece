import { describe, expect, test } from 'bun:test'
import * as z from 'zod'
import { ASSUMED_OUTPUT_TOKENS } from '../../src/config/catalogModels.ts'
import { OVERRIDES } from '../../src/config/overrides.ts'
import { DEFAULT_DATABASE_URL } from '../../src/config/resolveDatabase.ts'
import {
  databaseSection,
  fileSchema,
  holdsSchema,
  logSchema,
  modelSchema,
  pricesSchema,
  providerSchema,
  quirksSchema,
  responsesSchema,
  serverSchema,
  targetSchema,
} from '../../src/config/schema.ts'
import { ASSUMED_TOKENS_PER_SECOND, UNKNOWN_IMAGE_TOKENS } from '../../src/core/model.ts'
import { CONNECTIONS } from '../../src/core/ports/store.ts'
import { PROVIDERS } from '../../src/providers/index.ts'
import { codesIn, differences, readPage, tableOf } from './page.ts'
import { findAll, sourceFiles } from './source.ts'

const PAGE = readPage('docs/configuration.md')

/** The settings of each table of the page. */
const TABLES: readonly [heading: string, schema: z.ZodType, prefix?: string][] = [
  ['`server`', serverSchema],
  ['`database`', databaseSection, 'database.'],
  ['`log`', logSchema],
  ['`responses`', responsesSchema],
  ['`providers`', providerSchema.omit({ quirks: true })],
  ['`quirks`', quirksSchema],
  ['`models`', modelSchema],
  ['`targets`', targetSchema],
]

/** Mappings that a table tells in one row. */
const IN_ONE_ROW = new Set(['aws', 'cost', 'deprecated', 'retired'])

/** Defaults that depend on more than their setting. */
const RESOLVED: Readonly<Record<string, unknown>> = {
  'database.url': DEFAULT_DATABASE_URL,
  'database.durability': 'default',
  'database.connections': CONNECTIONS.default,
  assumed_output_tokens: ASSUMED_OUTPUT_TOKENS,
  assumed_tokens_per_second: ASSUMED_TOKENS_PER_SECOND,
  image_tokens: UNKNOWN_IMAGE_TOKENS,
}

/** Every setting below a schema by its path. */
function settingsOf(schema: z.ZodType, prefix: string): Map<string, z.ZodType> {
  const settings = new Map<string, z.ZodType>()
  for (const [name, value] of Object.entries(shapeOf(schema) ?? {})) {
    const nested = IN_ONE_ROW.has(name) ? undefined : shapeOf(value)
    if (!nested) settings.set(prefix + name, value)
    else for (const [path, leaf] of settingsOf(value, `${prefix}${name}.`)) settings.set(path, leaf)
  }
  return settings
}

function shapeOf(schema: z.ZodType): Readonly<Record<string, z.ZodType>> | undefined {
  if (schema instanceof z.ZodObject) return schema.shape
  const { innerType } = schema.def as { innerType?: z.ZodType }
  return innerType && shapeOf(innerType)
}

function defaultOf(path: string, schema: z.ZodType): unknown {
  return schema instanceof z.ZodDefault ? schema.def.defaultValue : RESOLVED[path]
}

/** Whether a cell names this default: a word or a number of it, as the schema reads it. */
function hasDefault(told: string, value: unknown, schema: z.ZodType): boolean {
  const words = [...codesIn(told), ...(told.match(/\d+/g) ?? [])]
  return words.some((word) => {
    const { success, data } = schema.safeParse(word === '[]' ? [] : word)
    return success && Bun.deepEquals(data, value)
  })
}

describe.each(TABLES)('docs/configuration.md, %s', (heading, schema, prefix = '') => {
  const settings = settingsOf(schema, prefix)
  const rows = tableOf(PAGE, heading).map(({ cells: [names = '', told = ''], line }) => ({
    names: codesIn(names),
    told,
    line,
  }))

  test('has every setting', () => {
    const told = new Set(rows.flatMap(({ names }) => names))
    // The short form.
    told.delete('database')
    const missing = [...settings.keys()].filter((name) => !told.has(name))
    const unknown = [...told].filter((name) => !settings.has(name))
    expect([
      ...missing.map(
        (name) => `${PAGE.path} (${heading}): there is no row for ${name}; write: | \`${name}\` | … | … |`,
      ),
      ...unknown.map((name) => `${PAGE.path} (${heading}): there is no setting ${name}; delete its row`),
    ]).toEqual([])
  })

  test('has the defaults', () => {
    const wrong = rows.flatMap(({ names, told, line }) =>
      names.flatMap((name) => {
        const setting = settings.get(name)
        const value = setting && defaultOf(name, setting)
        if (setting === undefined || value === undefined) return []
        if (hasDefault(told, value, setting)) return []
        return [`${PAGE.path}:${line}: the default of ${name} is ${JSON.stringify(value)}, not ${told}`]
      }),
    )
    expect(wrong).toEqual([])
  })
})

test('docs/configuration.md has a heading for every part of the file', () => {
  const missing = Object.keys(fileSchema.shape).filter((name) => !PAGE.text.includes(`\n## \`${name}\`\n`))
  expect(missing).toEqual([])
  expect(PAGE.text).toContain(`\`${holdsSchema.parse(undefined)}\` (the default)`)
})

test('docs/configuration.md names every part of a price', () => {
  const [, section = ''] = PAGE.text.split('### `our_price`')
  const told = new Set(codesIn(section.replaceAll(/```[\s\S]*?```/g, '')))
  expect(Object.keys(pricesSchema.shape).filter((name) => name !== 'tiers' && !told.has(name))).toEqual([])
  expect(section).toContain('Tiers')
})

test('docs/configuration.md names every environment variable that is read', () => {
  const files = [...sourceFiles('config/**/*.ts'), ...sourceFiles('cli/**/*.ts')]
  const read = new Set([
    ...Object.values(OVERRIDES).map(({ variable }) => variable),
    ...PROVIDERS.flatMap(({ keyVariable }) => keyVariable ?? []),
    ...findAll(files, /\bsecretOf\('([A-Z_]+)', environment/g),
    ...findAll(files, /\benv(?:ironment)?(?:\.|\[')([A-Z][A-Z_]+)\b/g),
    // The command line takes proxies away by lists of names; the runtime reads these.
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'ALL_PROXY',
    'NO_PROXY',
    'NODE_EXTRA_CA_CERTS',
    'BUN_OPTIONS',
    'BUN_INSPECT',
    'BUN_BE_BUN',
  ])
  const told = new Set(tableOf(PAGE, 'Every variable').flatMap(({ cells: [names = ''] }) => codesIn(names)))
  const heading = `${PAGE.path} (Every variable)`
  expect([
    ...[...read].filter((name) => !told.has(name)).map((name) => `${heading}: write a row for ${name}`),
    ...[...told].filter((name) => !read.has(name)).map((name) => `${heading}: nothing reads ${name}`),
  ]).toEqual([])
})

test('docs/configuration.md names every flag that overrules the file, and its variable', () => {
  const facts = Object.values(OVERRIDES).map(({ flag, variable }) => ({
    key: [`\`${flag}\``],
    cells: [`\`${variable}\``, undefined],
  }))
  expect(differences(PAGE, 'Flags and variables', facts)).toEqual([])
})
