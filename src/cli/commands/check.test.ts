import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadSettings } from '../../config/loadSettings.ts'
import { readFileIfThere } from '../../config/readFile.ts'
import { WIRE_FORMAT_IDS } from '../../wire/formats.ts'
import type { CliDeps } from '../deps.ts'
import { runCli } from '../runCli.ts'

const folder = mkdtempSync(join(tmpdir(), 'tollgate-check-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** What `tollgate check FILE` writes, without the name of the file. */
async function check(path: string): Promise<{ code: number; lines: string[] }> {
  let err = ''
  const io = { out: () => undefined, err: (text: string) => void (err += text), errIsTty: false, env: {} }
  const deps: Partial<CliDeps> = {
    loadSettings: (flags) => loadSettings({ flags, env: {}, readFile: readFileIfThere }),
    person: () => ({ user: 'ada', host: 'desk' }),
  }
  const code = await runCli(['check', path], io, deps as CliDeps)
  return {
    code,
    lines: err
      .trimEnd()
      .split('\n')
      .map((line) => line.replace(`${path}:`, '').replace(`${path} `, '')),
  }
}

const DEMO = 'providers: { demo: {} }\n'
const GOOD = `${DEMO}models: all\n`
/** As a mistake lists them. */
const FORMATS = `${WIRE_FORMAT_IDS.slice(0, -1).join(', ')} or ${WIRE_FORMAT_IDS.at(-1)}`
const ACME = 'providers:\n  acme: { wire: openai-chat, base_url: https://acme.example/v1 }\nmodels:\n'
const NO_TEXT = 'is not text in UTF-8: is the file binary, or saved in another encoding?'
const INDENTED = 'is indented differently from the lines that it belongs to'
const NO_COLON = 'is not a name with a value: is a colon missing?'
const QUOTE_IT = 'put the value in quotes'

/** A model that has all it needs, and one line more. */
function model(line: string): string {
  return `${ACME}  - id: acme/x\n    targets: [{ provider: acme, model: x }]\n    context_length: 1000\n    max_output_tokens: 100\n    our_price: { input: 1, output: 1 }\n    ${line}\n`
}

type Broken = readonly [what: string, content: string | Uint8Array, ...lines: string[]]

const BROKEN: readonly Broken[] = [
  ['an indentation that is too small', `server:\n    host: a\n  port: 1\n${GOOD}`, `3:1 ${INDENTED}`],
  [
    'an item of a list that is indented badly',
    `${DEMO}models:\n  - id: a\n   targets: []\n`,
    `4:1 ${INDENTED}`,
  ],
  ['a tab', `server:\n\tport: 1\n${GOOD}`, '2:1 begins with a tab: indent with spaces'],
  [
    'a blank that is none',
    `server:\n\u00a0\u00a0port: 1\n${GOOD}`,
    '2:1 is indented with a character that only looks like a space',
  ],
  ['a double quote that is open', `server: { host: "a }\n${GOOD}`, '1:17 begins a quote that is not closed'],
  ['a single quote that is open', `server:\n  host: 'a\n${GOOD}`, '2:9 begins a quote that is not closed'],
  [
    'a name that stands twice',
    `${GOOD}log: {}\nlog: {}\n`,
    '4:1 "log" is written twice: each name may stand once',
  ],
  [
    'two names that stand twice',
    'server:\n  port: 1\n  port: 2\nlog:\n  level: info\n  level: warn\n',
    '3:3 "port" is written twice: each name may stand once',
    '6:3 "level" is written twice: each name may stand once',
  ],
  [
    'a [ that is open',
    `${DEMO}models: [demo/chat\n`,
    '2:9 begins with [, and the ] that closes it is missing',
  ],
  [
    'a { that is open',
    `server: { port: 1\n${GOOD}`,
    '1:9 begins with {, and the } that closes it is missing',
  ],
  [
    'a ] too many',
    `${DEMO}models: [demo/chat]]\n`,
    '2:20 does not belong here: is a comma, a quote or a line break missing before it?',
  ],
  [
    'JSON without a comma',
    '{ "providers": { "demo": {} } "models": "all" }',
    '1:31 does not belong here: is a comma, a quote or a line break missing before it?',
  ],
  ['a missing colon', `server:\n  host a\n  port: 1\n${GOOD}`, `2:3 ${NO_COLON}`],
  ['a missing colon in the last line', `server:\n  port: 1\n  host a\n${GOOD}`, `3:3 ${NO_COLON}`],
  [
    'a missing blank after a colon',
    `server:\n  port:1\n${GOOD}`,
    '2:3 server must be a mapping: is a space missing after the colon?',
  ],
  ['a second colon', `server:\n  host: a: b\n${GOOD}`, `2:9 holds a second colon: ${QUOTE_IT}`],
  [
    'a value with a sign of YAML',
    `server:\n  host: @a\n${GOOD}`,
    `2:9 begins with a sign that means something else in YAML: ${QUOTE_IT}`,
  ],
  ['a star', `server:\n  cors_origins: [*]\n${GOOD}`, `2:18 begins with * but is not an anchor: ${QUOTE_IT}`],
  [
    'an anchor that is not there',
    `${DEMO}models: *nope\n`,
    '2:9 names the anchor "nope", which is not before it',
  ],
  [
    'a tag',
    `server: { host: !secret a }\n${GOOD}`,
    '1:25 server.host has the tag "!secret": a configuration has none',
  ],
  [
    'a backslash in double quotes',
    `server: { host: "a\\q" }\n${GOOD}`,
    '1:19 holds a backslash that means nothing in double quotes: put the value in single quotes',
  ],
  ['a second document', `${GOOD}---\nserver: {}\n`, '3:1 begins a second document: a configuration is one'],
  [
    'a merge conflict',
    `${GOOD}<<<<<<< HEAD\nlog: {}\n=======\n>>>>>>> x\n`,
    '3:1 is the mark of a merge conflict',
  ],
  [
    'a file that is cut off in a bracket',
    `${DEMO}models:\n  - id: a\n    targets: [{ provider: demo, mod`,
    '4:15 begins with {, and the } that closes it is missing',
  ],
  ['a file that is cut off in a name', `${DEMO}models:\n  - id: a\n    targ`, `4:5 ${NO_COLON}`],
  [
    'a file that is cut off in a reference',
    'server: { admin_token: ${TOLL',
    '1:24 begins a reference that is not closed: ${NAME}',
  ],
  [
    'a file that is cut off before its models',
    DEMO,
    'models is missing: list the models to serve, such as `models: [openai/gpt-5-mini]`, or write `models: all` for every known model of the providers',
  ],
  [
    'an empty file',
    '',
    'is empty: a configuration needs at least `providers` and `models`; start from tollgate.example.yaml',
  ],
  ['an empty list of models', `${DEMO}models: []\n`, '2:9 models is empty: list the models to serve'],
  [
    'a file that begins with a byte order mark',
    `\ufeffserverr: {}\n${GOOD}`,
    '1:1 serverr is not a setting (did you mean "server"?)',
  ],
  ['a file in UTF-16', Buffer.from(`\ufeff${GOOD}`, 'utf16le'), `1:1 ${NO_TEXT}`],
  ['a file in Latin-1', Buffer.from(`${GOOD}# M\u00fcller\n`, 'latin1'), `3:4 ${NO_TEXT}`],
  ['a binary file', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0xff, 0xfe]), `1:1 ${NO_TEXT}`],
  ['zeros at the end, as a crash leaves them', `${GOOD}\0\0\0\0`, `3:1 ${NO_TEXT}`],
  [
    'a page of HTML',
    '<html><body>404 Not Found</body></html>\n',
    '1:1 must be a mapping of settings: server, database, log, providers, models',
  ],
  ['a list', '- demo/chat\n', '1:1 must be a mapping of settings: server, database, log, providers, models'],
  ['a list for a mapping', 'providers:\n  - demo\nmodels: all\n', '2:3 providers must be a mapping'],
  [
    'a text for a list',
    `${DEMO}models: demo/chat\n`,
    '2:9 models must be a list, or `all` for every known model of the providers',
  ],
  [
    'a number that is none',
    `server:\n  port: eighty\n${GOOD}`,
    '2:9 server.port must be a whole number from 0 to 65535, not "eighty"',
  ],
  [
    'a flag that is none',
    `log: { prompts: yes }\n${GOOD}`,
    '1:17 log.prompts must be true or false, not "yes"',
  ],
  [
    'an unknown setting',
    `server:\n  prot: 1\n${GOOD}`,
    '2:3 server.prot is not a setting (did you mean "port"?)',
  ],
  [
    'a variable that is not set',
    `server:\n  admin_token: \${NOPE}\n${GOOD}`,
    '2:16 server.admin_token needs the environment variable NOPE, which is not set',
  ],
  [
    'a duration without a unit',
    `server: { drain: 30 }\n${GOOD}`,
    '1:18 server.drain must be a duration such as 500ms, 5s or 1m, not "30"',
  ],
  [
    'a size with a wrong unit',
    `server: { max_body_bytes: 10 megs }\n${GOOD}`,
    '1:27 server.max_body_bytes must be a size such as 10MiB, not "10 megs"',
  ],
  [
    'a negative price',
    model('official_price: { input: -1, output: 1 }'),
    '9:30 models[0].official_price.input must be a price in US dollars per 1M tokens (not negative, at most 9 decimals), not "-1"',
  ],
  [
    'a decimal comma in braces',
    model('official_price: { input: 0,50, output: 1,5 }'),
    '9:32 models[0].official_price.50 is not a setting: is it a part of a number? Write a decimal point, as in 0.50',
    '9:46 models[0].official_price.5 is not a setting: is it a part of a number? Write a decimal point, as in 0.50',
  ],
  [
    'a date that is none',
    model('created: 2026-02-31'),
    '9:14 models[0].created must be an ISO date such as 2026-11-20, not "2026-02-31"',
  ],
  [
    'a database of another kind',
    `database: mysql://root:hunter2@db\n${GOOD}`,
    '1:11 database must begin with sqlite: or postgres://',
  ],
  [
    'an unknown provider',
    'providers:\n  openia: { api_key: k }\nmodels: [openai/gpt-5-mini]\n',
    '2:3 providers.openia is not a known provider (did you mean "openai"?): it needs wire and base_url',
    '3:10 models[0].id is served by "openai", which is not among the providers',
  ],
  [
    'an unknown wire format',
    model('').replace('openai-chat', 'openai-chatt'),
    `2:17 providers.acme.wire must be ${FORMATS}, not "openai-chatt" (did you mean "openai-chat"?)`,
  ],
  [
    'a target at a provider that is not there',
    model('').replace('provider: acme', 'provider: acne'),
    '5:27 models[0].targets[0].provider is not a provider of this file: "acne" (did you mean "acme"?)',
  ],
  [
    'two models of one id',
    model('').concat('  - { id: acme/x, retired: { at: 2020-01-01 } }\n'),
    '10:11 models[1].id is taken: a model before has the id "acme/x"',
  ],
  [
    'an alias that is an id',
    model('aliases: [acme/x]'),
    '9:15 models[0].aliases[0] hides the model with the id "acme/x"',
  ],
  [
    'an alias that stands twice',
    model('aliases: [one, one]'),
    '9:20 models[0].aliases[1] is taken: a model before has the alias "one"',
  ],
]

test.each(BROKEN.map(([what, content, ...lines]) => ({ what, content, lines })))(
  '`tollgate check` names $what in a line of plain words',
  async ({ content, lines }) => {
    const path = join(folder, 'tollgate.yaml')
    writeFileSync(path, content)
    expect(await check(path)).toEqual({ code: 1, lines })
  },
)

test('`tollgate check` marks warnings, so that nobody takes them for mistakes', async () => {
  const path = join(folder, 'tollgate.yaml')
  writeFileSync(path, `server: { admin_token: short }\n${GOOD}`)
  const { code, lines } = await check(path)
  expect({ code, lines }).toEqual({
    code: 0,
    lines: [expect.stringMatching(/^1:24 warning: server\.admin_token is short/)],
  })
})

test('`tollgate check` says of a folder that it is none of its files', async () => {
  mkdirSync(join(folder, 'conf.d'))
  expect(await check(join(folder, 'conf.d'))).toEqual({ code: 1, lines: ['is a folder, not a file'] })
})

test('`tollgate check` says of a file that it does not exist', async () => {
  expect(await check(join(folder, 'nope.yaml'))).toEqual({ code: 1, lines: ['does not exist'] })
})

test('`tollgate check` takes a file with a byte order mark and line ends of Windows', async () => {
  const path = join(folder, 'windows.yaml')
  writeFileSync(path, `\ufeff${GOOD.replaceAll('\n', '\r\n')}`)
  expect(await check(path)).toEqual({ code: 0, lines: [''] })
})
