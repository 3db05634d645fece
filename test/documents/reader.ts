import { expect } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { chmod, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { CliDeps } from '../../src/cli/deps.ts'
import { runCli } from '../../src/cli/runCli.ts'
import { loadSettings } from '../../src/config/loadSettings.ts'
import { readFileIfThere } from '../../src/config/readFile.ts'
import { isJsonObject, type JsonObject } from '../../src/core/json.ts'
import { endsWithParent } from '../support/endsWithParent.ts'
import { openaiCompletion, respond, streams } from '../support/scriptedProvider.ts'
import { type ScriptedProvider, startScriptedProvider } from '../support/scriptedProvider.ts'
import type { Block } from './blocks.ts'

const ROOT = join(import.meta.dir, '../..')
const START_LIMIT_MS = 60_000
const BLOCK_LIMIT_MS = 60_000
const LOOK_MS = 20
/** What a reader copies out of the output of an earlier block, where a document has `tg_…`. */
const SECRET_OR_ID = /\b(?:tga?|ws|key|token|audit|req)_[0-9A-Z]{26,52}\b|\bchatcmpl-[0-9A-Z]{26}\b/g

/**
 * Somebody who follows one document: pastes its blocks in order into one shell, in a folder of their own.
 *
 * Where the document says `tg_…`, they take what the last command showed that begins so; a document may show that
 * in lines like `export TOKEN=tga_…` alone.
 */
export class Reader implements AsyncDisposable {
  readonly #folder: string
  readonly #port: number
  readonly #provider: ScriptedProvider
  readonly #seen = new Map<string, string>()
  #gateway: Bun.Subprocess | undefined

  private constructor(folder: string, port: number, provider: ScriptedProvider) {
    this.#folder = folder
    this.#port = port
    this.#provider = provider
  }

  /** @param gateway whether one runs already, where the document starts none itself */
  static async start({ gateway }: { readonly gateway: boolean }): Promise<Reader> {
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-reader-'))
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    const provider = await startScriptedProvider((request) => {
      if (request.path.endsWith('/messages')) return respond({ body: ANTHROPIC_MESSAGE })
      const { body } = request
      return isJsonObject(body) && body['stream'] === true
        ? streams('Paris', '.')
        : respond({ body: openaiCompletion('Paris.') })
    })
    // Its own exit code is 0 where the gateway refuses: a sample that is refused does not work.
    await Bun.write(
      join(folder, 'bin/curl'),
      '#!/bin/sh\nPATH=${PATH#*:} exec curl --no-progress-meter --fail-with-body "$@"\n',
    )
    await chmod(join(folder, 'bin/curl'), 0o755)
    const reader = new Reader(folder, freePort(), provider)
    if (gateway) await reader.run('tollgate serve')
    return reader
  }

  /** Pastes a block of the shell; gives what it printed. Fails where a command fails. */
  async paste(text: string): Promise<string> {
    let output = ''
    // What a line is to be filled in with may be shown by the line before it.
    for (const part of text.split(/^(?=export \w+=\S*…)/m))
      if (part.trim() !== '') output += await this.#run(part)
    return output
  }

  async #run(text: string): Promise<string> {
    const script = await this.#asMeant(text)
    const shell = Bun.spawn(['sh', '-c', `${RESTORE}\nset -eu\n${script}\n${REMEMBER}`], {
      cwd: this.#folder,
      env: this.#environment(),
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
      timeout: BLOCK_LIMIT_MS,
    })
    const { output, mistakes, code } = await ended(shell)
    expect([text, code, code === 0 ? '' : output + mistakes]).toEqual([text, 0, ''])
    this.#look(output + mistakes)
    return output
  }

  /** Pastes what runs until it is stopped, `tollgate serve`; it takes the place of one that runs already. */
  async run(text: string): Promise<void> {
    await this.#stopGateway()
    const script = await this.#asMeant(text)
    const child = Bun.spawn(
      endsWithParent('sh', '-c', `${RESTORE}\nset -eu\n${script.replace(/^tollgate serve/m, 'exec $&')}`),
      {
        cwd: this.#folder,
        env: this.#environment(),
        stdin: 'ignore',
        stdout: 'pipe',
        stderr: 'pipe',
      },
    )
    this.#gateway = child
    let output = ''
    const gather = async (stream: ReadableStream<Uint8Array>) => {
      const decoder = new TextDecoder()
      for await (const bytes of stream) output += decoder.decode(bytes, { stream: true })
    }
    void gather(child.stdout)
    void gather(child.stderr)
    const limit = performance.now() + START_LIMIT_MS
    while (!(await this.#answers())) {
      expect([child.exitCode, child.exitCode === null ? '' : output]).toEqual([null, ''])
      expect(performance.now()).toBeLessThan(limit)
      await Bun.sleep(LOOK_MS)
    }
    this.#look(output)
  }

  /** Saves a file that the document shows. A configuration gets the address of a provider that answers here. */
  async save(name: string, text: string): Promise<void> {
    await Bun.write(join(this.#folder, name), name.endsWith('.yaml') ? this.#withProviders(text) : text)
  }

  /** Checks a piece of a configuration as `tollgate check` does, with what it lacks beside it. */
  async check(text: string): Promise<void> {
    const rest = missingSections(text)
    await Bun.write(join(this.#folder, 'service-account.json'), JSON.stringify(SERVICE_ACCOUNT))
    const names = [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name)
    const path = join(this.#folder, 'piece.yaml')
    await Bun.write(path, `${text}\n${rest}`)
    const env = {
      ...this.#environment(),
      AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
      AWS_SECRET_ACCESS_KEY: 'secret',
      ANTHROPIC_API_KEY: 'sk-test',
      ...Object.fromEntries(names.map((name) => [name, VALUE_OF_VARIABLE])),
    }
    let output = ''
    const write = (line: string) => void (output += line)
    // Not as a process of its own: a sample in the shell starts the command as such.
    const deps: Partial<CliDeps> = {
      loadSettings: (flags) => loadSettings({ flags, env, readFile: readFileIfThere }),
      person: () => ({ user: 'reader', host: 'desk' }),
    }
    const code = await runCli(
      ['check', '--config', path],
      { out: write, err: write, errIsTty: false, env },
      deps as CliDeps,
    )
    expect([text, code, code === 0 ? '' : output]).toEqual([text, 0, ''])
  }

  /** Runs each `$ command` of a block and compares what it prints with the lines below it. */
  async compare(block: Block): Promise<void> {
    const commands = block.text.split(/^\$ /m).slice(1)
    for (const command of commands) {
      const [line = '', ...shown] = command.trimEnd().split('\n')
      const printed = await this.paste(`{ ${line}; } 2>&1 || true`)
      const wanted = shapeOf(shown.join('\n'))
      expect([line, shapeOf(printed)]).toEqual([line, wanted])
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stopGateway()
    this.#provider.stop()
    await rm(this.#folder, { recursive: true, force: true })
  }

  #environment(): Record<string, string> {
    return {
      PATH: `${join(this.#folder, 'bin')}:${join(ROOT, 'bin')}:${process.env['PATH'] ?? ''}`,
      HOME: this.#folder,
      TOLLGATE_PORT: String(this.#port),
    }
  }

  async #asMeant(text: string): Promise<string> {
    const withPort = text.replaceAll(':4100', `:${this.#port}`)
    const parts = withPort.split(/\b((?:tga?|ws|key|token|audit|req|sk)[_-]|chatcmpl-)…/)
    let script = parts[0] ?? ''
    for (let at = 1; at < parts.length; at += 2)
      script += (await this.#valueOf(parts[at] ?? '')) + (parts[at + 1] ?? '')
    expect([text, script.includes('…')]).toEqual([text, false])
    return script
  }

  /** What the reader saw last that begins so, or has from before the document. */
  async #valueOf(prefix: string): Promise<string> {
    if (prefix === 'sk-') return 'sk-test'
    const seen = this.#seen.get(prefix)
    if (seen !== undefined) return seen
    await this.#prepare()
    const made = this.#seen.get(prefix)
    expect([prefix, made === undefined]).toEqual([prefix, false])
    return made ?? ''
  }

  /** A workspace with a balance and a key, and an admin token. */
  async #prepare(): Promise<void> {
    const made = this.#seen.get('ws_')
    if (made === undefined) {
      await this.paste('tollgate workspace create Docs')
      await this.paste(`tollgate credit add ${this.#seen.get('ws_')} 10`)
    }
    await this.paste(`tollgate key create ${this.#seen.get('ws_')} docs`)
    await this.paste('tollgate token create docs')
  }

  #look(output: string): void {
    for (const [value] of output.matchAll(SECRET_OR_ID)) {
      const end = value.search(/[_-]/) + 1
      this.#seen.set(value.slice(0, end), value)
    }
  }

  #withProviders(text: string): string {
    const settings: unknown = parse(text.replaceAll(/(?<!["'])\$\{\w+\}/g, '"$&"'))
    if (!isJsonObject(settings) || !isJsonObject(settings['providers'])) return text
    const providers = Object.entries(settings['providers']).map(([name, row]) => [
      name,
      name === 'demo' ? row : { ...(isJsonObject(row) ? row : {}), base_url: this.#provider.baseUrl },
    ])
    return JSON.stringify({ ...settings, providers: Object.fromEntries(providers) as JsonObject })
  }

  async #answers(): Promise<boolean> {
    try {
      return (await fetch(`http://127.0.0.1:${this.#port}/healthz`)).ok
    } catch {
      return false
    }
  }

  async #stopGateway(): Promise<void> {
    const child = this.#gateway
    this.#gateway = undefined
    child?.kill('SIGTERM')
    await child?.exited
  }
}

async function ended(
  shell: Bun.Subprocess<'ignore', 'pipe', 'pipe'>,
): Promise<{ output: string; mistakes: string; code: number }> {
  const [output, mistakes, code] = await Promise.all([
    new Response(shell.stdout).text(),
    new Response(shell.stderr).text(),
    shell.exited,
  ])
  return { output, mistakes, code }
}

const RESTORE = '[ ! -f .reader ] || . ./.reader'
const REMEMBER = 'export -p > "$HOME/.reader"'
/** Any secret, URL or number of a documented configuration. */
const VALUE_OF_VARIABLE = 'a-value-of-32-characters-for-tests'

/** What a piece of a configuration lacks to be a whole one. */
function missingSections(text: string): string {
  const has = (section: string) => new RegExp(`^${section}:`, 'm').test(text)
  if (has('models')) return has('providers') ? '' : 'providers: { demo: {} }\n'
  if (!has('providers')) return 'providers: { demo: {} }\nmodels: [demo/chat]\n'
  const [, name = ''] = /^providers:\s*\{?\s*([\w.-]+):/m.exec(text) ?? []
  const model = { id: 'docs/model', context_length: 1000, max_output_tokens: 100 }
  const price = { our_price: { input: 0, output: 0 }, targets: [{ provider: name, model: 'any' }] }
  return `models: ${JSON.stringify([{ ...model, ...price }])}\n`
}

/** Text with what differs at each run taken out: ids, numbers, widths of columns. */
function shapeOf(text: string): string {
  return text
    .replaceAll(/\b([a-z]+[_-])[0-9A-Z]{19,52}\b/g, '$1#')
    .replaceAll(/[\d.,]*\d/g, '#')
    .replaceAll(/[ \t]+/g, ' ')
    .trim()
}

function freePort(): number {
  const listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
  const { port } = listener
  listener.stop(true)
  return port
}

/** A key file as Google gives it out, with a key of the test's own. */
const SERVICE_ACCOUNT: JsonObject = {
  type: 'service_account',
  client_email: 'docs@example.iam.gserviceaccount.com',
  private_key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }),
  token_uri: 'https://oauth2.googleapis.com/token',
}

const ANTHROPIC_MESSAGE: JsonObject = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  content: [{ type: 'text', text: 'Paris.' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 12, output_tokens: 4 },
}
