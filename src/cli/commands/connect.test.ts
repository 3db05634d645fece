import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { loadSettings } from '../../config/loadSettings.ts'
import { readFileIfThere } from '../../config/readFile.ts'
import { AGENTS } from '../connect/agents.ts'
import type { CliDeps } from '../deps.ts'
import { createFolder, openFile, removeFile } from '../processIo.ts'
import { runCli } from '../runCli.ts'

const KEY = `tg_${'A1B2'.repeat(13)}`
const ALL = AGENTS.flatMap((agent) => agent.protocols.map((protocol) => [agent.id, protocol] as const))

let home: string
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), 'tollgate-connect-'))))
afterEach(() => rmSync(home, { recursive: true }))

interface Run {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs `tollgate connect …` as someone with this home folder and this key. */
async function connect(
  words: string,
  env: Record<string, string> = {},
  deps: Partial<CliDeps> = {},
): Promise<Run> {
  let [out, err] = ['', '']
  const known: Partial<CliDeps> = {
    loadSettings: (flags) => loadSettings({ flags, env: {}, readFile: readFileIfThere }),
    person: () => ({ user: 'ada', host: 'desk' }),
    hash: (text) => createHash('sha256').update(text).digest('hex'),
    readFile: readFileIfThere,
    openFile,
    removeFile,
    createFolder,
    ...deps,
  }
  const io = {
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
    errIsTty: false,
    env: { HOME: home, TOLLGATE_KEY: KEY, ...env },
  }
  const argv = ['connect', ...words.split(' ').filter((word) => word !== '')]
  const code = await runCli(argv, io, known as CliDeps)
  expect(out + err).not.toContain(KEY)
  return { code, out, err }
}

const CLAUDE = '.claude/settings.json'
const CONTINUE = '.continue/config.yaml'
const CODEX = '.codex/config.toml'

function put(name: string, text: string): void {
  mkdirSync(dirname(join(home, name)), { recursive: true })
  writeFileSync(join(home, name), text)
}

function read(name: string): string {
  return readFileSync(join(home, name), 'utf8')
}

function files(): string[] {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
}

describe.each(ALL)('%s over %s', (agent, protocol) => {
  const go = (more: string) => connect(`${agent} --model acme/chat --protocol ${protocol} ${more}`)

  test('is written with the key for its owner alone, and a second time nothing changes', async () => {
    const { code, out } = await go('--write')
    expect([code, out.includes('tg_A1B2…')]).toEqual([0, true])
    const path = AGENTS.find(({ id }) => id === agent)?.file(home, {}) ?? ''
    const text = readFileSync(path, 'utf8')
    for (const part of [KEY, 'http://127.0.0.1:4100', 'acme/chat']) expect(text).toContain(part)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect((await go('--write')).out).toStartWith(`Nothing changes: ${path}`)
    expect(readFileSync(path, 'utf8')).toBe(text)
  })

  test('is undone without a trace where there was no file', async () => {
    await go('--write')
    expect(files()).toHaveLength(2)
    const { code, out } = await go('--undo')
    expect([code, out.includes('is removed')]).toEqual([0, true])
    expect(files()).toEqual([])
  })

  test('is printed without touching a file, and reads like what is written', async () => {
    const printed = await go('')
    expect(files()).toEqual([])
    await go('--write')
    const path = AGENTS.find(({ id }) => id === agent)?.file(home, {}) ?? ''
    expect(printed.out).toContain(readFileSync(path, 'utf8').replace(KEY, 'tg_A1B2…'))
  })
})

describe('a file that is there', () => {
  test('keeps everything else, in its own indentation, and gets back exactly what it had', async () => {
    const before = `${JSON.stringify({ theme: 'dark', env: { ANTHROPIC_AUTH_TOKEN: 'sk-ant-before', OTHER: '1' } }, null, '\t')}\n`
    put(CLAUDE, before)
    const { out } = await connect('claude-code --write --url https://gateway.example.com/')
    expect(out).toContain('- env.ANTHROPIC_AUTH_TOKEN  "…"\n+ env.ANTHROPIC_AUTH_TOKEN  "tg_A1B2…"\n')
    expect(out).toContain('+ env.ANTHROPIC_BASE_URL    "https://gateway.example.com"\n')
    const url = { ANTHROPIC_BASE_URL: 'https://gateway.example.com' }
    const env = { ANTHROPIC_AUTH_TOKEN: KEY, OTHER: '1', ...url }
    expect(read(CLAUDE)).toBe(`${JSON.stringify({ theme: 'dark', env }, null, '\t')}\n`)
    expect(read(`${CLAUDE}.before-tollgate`)).not.toContain(KEY)
    expect(statSync(join(home, `${CLAUDE}.before-tollgate`)).mode & 0o777).toBe(0o600)
    expect((await connect('claude-code --undo')).out).not.toContain('sk-ant-before')
    expect([read(CLAUDE), existsSync(join(home, `${CLAUDE}.before-tollgate`))]).toEqual([before, false])
  })

  test('of YAML keeps its comments and its other entries', async () => {
    const before =
      '# mine\nname: Home # not Local Config\nversion: 1.0.0\nschema: v1\nmodels:\n  - name: Other\n    provider: ollama # local\n    model: small\n'
    put(CONTINUE, before)
    await connect('continue --write --model acme/chat')
    expect(read(CONTINUE)).toStartWith(before)
    expect(read(CONTINUE)).toContain(`  - name: Tollgate\n    provider: openai\n`)
    await connect('continue --undo')
    expect(read(CONTINUE)).toBe(before)
  })

  test('of TOML keeps its comments and its other tables, and gets back exactly what it had', async () => {
    const [top, tables] = [
      '# mine\nmodel = "gpt-5" # the old one\nnotify = ["bell"]\n',
      '\n# later\n[tui]\nmodel = "other"\n[model_providers.proxy]\nname = "Proxy"\n',
    ]
    put(CODEX, top + tables)
    const { out } = await connect('codex --write --model acme/chat')
    expect(out).toMatch(/^- model +"gpt-5"\n\+ model +"acme\/chat"$/m)
    const added = `[model_providers.tollgate]\nname = "Tollgate"\nbase_url = "http://127.0.0.1:4100/v1"\nexperimental_bearer_token = "${KEY}"\nwire_api = "responses"\n`
    expect(read(CODEX)).toBe(
      `${top.replace('gpt-5', 'acme/chat')}model_provider = "tollgate"\n${tables}\n${added}`,
    )
    await connect('codex --undo')
    expect(read(CODEX)).toBe(top + tables)
  })

  test.each([
    '',
    '[tui]\n',
    '# mine\n[tui]\n',
    'a = """\nb\n"""\n',
    'a = [\n  1,\n]\n',
    'model = "a" # b\r\n',
    '[model_providers.tollgate]\nname = "Mine"\n',
  ])('of TOML that is %j is written and undone without loss', async (before) => {
    put(CODEX, before)
    await connect('codex --write --model acme/chat')
    expect(Bun.TOML.parse(read(CODEX))).toEqual({
      ...Bun.TOML.parse(before),
      model: 'acme/chat',
      model_provider: 'tollgate',
      model_providers: {
        tollgate: {
          name: 'Tollgate',
          base_url: 'http://127.0.0.1:4100/v1',
          experimental_bearer_token: KEY,
          wire_api: 'responses',
        },
      },
    })
    await connect('codex --undo')
    expect(read(CODEX)).toBe(before)
  })

  test('gets back its first values after it was written twice with different ones', async () => {
    const before = `${JSON.stringify({ env: { ANTHROPIC_BASE_URL: 'https://first.example' } }, null, 2)}\n`
    put(CLAUDE, before)
    await connect('claude-code --write --model a')
    await connect('claude-code --write --url https://second.example')
    expect(JSON.parse(read(CLAUDE)).env).toMatchObject({
      ANTHROPIC_BASE_URL: 'https://second.example',
      ANTHROPIC_MODEL: 'a',
    })
    await connect('claude-code --undo')
    expect(read(CLAUDE)).toBe(before)
  })

  test('keeps a value that was changed since, and the command says which', async () => {
    await connect('claude-code --write --model a')
    const settings = JSON.parse(read(CLAUDE))
    settings.env.ANTHROPIC_MODEL = 'my-own'
    put(CLAUDE, JSON.stringify(settings))
    const { code, out } = await connect('claude-code --undo')
    expect([code, out]).toEqual([0, expect.stringContaining('changed since: env.ANTHROPIC_MODEL.\n')])
    expect(JSON.parse(read(CLAUDE))).toEqual({ env: { ANTHROPIC_MODEL: 'my-own' } })
  })

  test('that gained an entry of its user since keeps what that entry needs', async () => {
    await connect('continue --write --model acme/chat')
    put(CONTINUE, `${read(CONTINUE)}  - name: Other\n    provider: ollama\n    model: small\n`)
    await connect('continue --undo')
    expect(read(CONTINUE)).toBe(
      'name: Local Config\nversion: 1.0.0\nschema: v1\nmodels:\n  - name: Other\n    provider: ollama\n    model: small\n',
    )
  })

  test('loses nothing when the command dies between its two writes', async () => {
    const before = `${JSON.stringify({ env: { ANTHROPIC_BASE_URL: 'https://first.example' } }, null, 2)}\n`
    put(CLAUDE, before)
    const failing: CliDeps['openFile'] = (path) => {
      if (path.endsWith('settings.json')) throw new Error('the disk is full')
      return openFile(path)
    }
    const failed = await connect('claude-code --write', {}, { openFile: failing })
    expect([failed.code, failed.err, read(CLAUDE)]).toEqual([1, 'tollgate: the disk is full\n', before])
    expect((await connect('claude-code --undo')).out).toBe('Restored.\n')
    expect(read(CLAUDE)).toBe(before)
    await connect('claude-code --write', {}, { openFile: failing })
    await connect('claude-code --write')
    await connect('claude-code --undo')
    expect(read(CLAUDE)).toBe(before)
  })

  test.each([
    ['comments in JSON', CLAUDE, '{ // mine\n}', 'claude-code', 'has comments'],
    ['a list in JSON', CLAUDE, '[]', 'claude-code', 'is not an object'],
    ['a text where values belong', CLAUDE, '{"env":"x"}', 'claude-code', 'env is not an object'],
    ['an object where a list belongs', CONTINUE, 'models: {}\n', 'continue', 'models is not a list'],
    [
      'an alias where a list belongs',
      CONTINUE,
      'a: &a [1]\nmodels: *a\n',
      'continue',
      'models is not a list',
    ],
    ['broken YAML', CONTINUE, 'a: [\n', 'continue', 'is not valid YAML'],
    ['broken TOML', CODEX, 'a = \n', 'codex', 'is not valid TOML'],
    ['several lines of text in TOML', CODEX, 'model = """\nx"""\n', 'codex', 'model cannot be changed'],
    ['a text that looks like a table', CODEX, 'a = """\n[b]\n"""\n', 'codex', 'model cannot be changed'],
    ['a table on one line in TOML', CODEX, 'model_providers = { a = {} }\n', 'codex', 'cannot be changed'],
    ['a damaged memory of before', `${CLAUDE}.before-tollgate`, '{}', 'claude-code', 'is damaged'],
  ])('stays as it is where it cannot be changed without loss: %s', async (_, name, text, agent, message) => {
    put(name, text)
    const { code, err } = await connect(`${agent} --write --model acme/chat`)
    expect([code, err]).toEqual([1, expect.stringContaining(message)])
    expect([read(name), files()]).toEqual([text, [name.split('/').at(-1) ?? '']])
  })
})

test('the address loses the /v1 of SDKs, and comes from TOLLGATE_URL without --url', async () => {
  const { out } = await connect('qwen --model m', { TOLLGATE_URL: 'https://gateway.example.com/below/v1/' })
  expect(out).toContain('"ANTHROPIC_BASE_URL": "https://gateway.example.com/below"')
})

test('the file is where the variables of the agent say', async () => {
  const elsewhere = join(home, 'elsewhere')
  await connect('claude-code --write', { CLAUDE_CONFIG_DIR: elsewhere })
  expect(existsSync(join(elsewhere, 'settings.json'))).toBe(true)
})

test('without an agent every agent has a line with its file', async () => {
  const { code, out } = await connect('')
  expect(code).toBe(0)
  for (const agent of AGENTS)
    expect(out).toMatch(
      new RegExp(`^${agent.id} .* ${agent.file(home, {}).replaceAll('.', String.raw`\.`)}$`, 'm'),
    )
})

test('--json describes what is printed, changed and undone, without keys', async () => {
  const json = async (words: string) => JSON.parse((await connect(`${words} --json`)).out)
  expect((await json('')).data).toHaveLength(AGENTS.length)
  const url = { setting: 'env.ANTHROPIC_BASE_URL', value: 'http://127.0.0.1:4100' }
  const key = { setting: 'env.ANTHROPIC_AUTH_TOKEN', value: 'tg_A1B2…' }
  expect(await json('claude-code')).toMatchObject({ start: 'claude', settings: [url, key] })
  const { changes } = await json('claude-code --write')
  expect(changes[1]).toEqual({ setting: key.setting, before: null, after: key.value })
  expect(await json('claude-code --undo')).toMatchObject({ removed: true, left: [] })
})

test.each<[string, string, string, Record<string, string>?]>([
  ['an unknown agent', 'cloud-code', 'did you mean "claude-code"?'],
  ['no key', 'claude-code --write', '--write needs --key or TOLLGATE_KEY', { TOLLGATE_KEY: '' }],
  ['an id for a key', 'claude-code --key key_1', 'the key must begin with tg_'],
  ['no model', 'opencode --write', '--write needs --model'],
  ['a protocol that the agent does not speak', 'claude-code --protocol chat', '--protocol must be messages'],
  ['an address of another kind', 'claude-code --url ftp://x', '--url must be an http or https address'],
  ['both at the same time', 'claude-code --write --undo', 'contradict each other'],
  ['nothing to write for', '--write', 'AGENT is missing'],
  ['no home', 'claude-code', 'HOME is not set', { HOME: '' }],
])('is a mistake that is explained, and writes nothing: %s', async (_, words, message, env = {}) => {
  const { code, err } = await connect(words, env)
  expect([code, err]).toEqual([2, expect.stringContaining(message)])
  expect(files()).toEqual([])
})

test('without anything written there is nothing to undo', async () => {
  const { code, err } = await connect('claude-code --undo')
  expect([code, err]).toEqual([1, expect.stringContaining('nothing to undo')])
})
