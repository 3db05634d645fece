import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { copyFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { GUIDE_GROUPS } from '../../src/http/docs/guides.ts'
import { createTokenizer } from '../../src/tokens/tokenizer.ts'
import { PROGRAM } from '../support/program.ts'
import { startProcessWorld } from '../support/processWorld.ts'
import { receiptOf } from '../support/receiptOf.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { answers, streams } from '../support/scriptedProvider.ts'
import { standardModel } from '../support/world.ts'
import { createFolder, type Folder, startTollgate, type TollgateProcess } from '../support/tollgateProcess.ts'

/** A folder with nothing in it but the file. */
let folder: Folder
let gateway: TollgateProcess
let url: string
let key: string

beforeAll(async () => {
  folder = await createFolder()
  await copyFile(PROGRAM, join(folder.path, 'tollgate'))
  gateway = startTollgate(folder, ['serve'], {}, join(folder.path, 'tollgate'))
  const banner = await gateway.says('The same as a stream')
  url = /listens on (\S+)/.exec(banner)?.[1] ?? ''
  key = /\btg_\w+/.exec(banner)?.[0] ?? ''
}, TEST_LIMIT_MS)
afterAll(async () => {
  await gateway[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

function run(...words: string[]): TollgateProcess {
  return startTollgate(folder, words, {}, join(folder.path, 'tollgate'))
}

function chat(at: string, secret: string): Promise<Response> {
  return fetch(`${at}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo/chat', messages: [{ role: 'user', content: 'Hello' }] }),
  })
}

describe('in a folder with nothing else', () => {
  test('a call is answered, and is in the ledger after kill -9 and a new start', async () => {
    const response = await chat(url, key)
    expect(response.status).toBe(200)
    const { id } = (await response.json()) as { id: string }
    gateway.signal('SIGKILL')
    await gateway.exitCode
    gateway = run('serve')
    url = /listens on (\S+)/.exec(await gateway.says('Models'))?.[1] ?? ''
    expect((await chat(url, key)).status).toBe(200)
    await using ledger = run('ledger', 'export')
    expect(await ledger.exitCode).toBe(0)
    expect(ledger.output).toContain(id)
    await using verified = run('ledger', 'verify')
    expect([await verified.exitCode, verified.output]).toEqual([0, expect.stringContaining('sound')])
  })

  test('every page is there: prices, reference, all guides, error codes, decisions, the icon', async () => {
    const root = join(import.meta.dir, '../..')
    const namesIn = async (of: string): Promise<string[]> =>
      (await readdir(join(root, 'docs', of)))
        .filter((file) => file.endsWith('.md') && file !== 'README.md')
        .map((file) => `${of}/${file.replace('.md', '')}`)
    const pages = [
      '/',
      '/docs',
      '/docs/guides',
      '/openapi.json',
      '/favicon.ico',
      ...GUIDE_GROUPS.flatMap(({ names }) => names).map((name) => `/docs/${name}`),
      ...[...(await namesIn('errors')), ...(await namesIn('decisions'))].map((name) => `/docs/${name}`),
    ]
    const answers = await Promise.all(pages.map(async (page) => [page, (await fetch(url + page)).status]))
    expect(answers).toEqual(pages.map((page) => [page, 200]))
  })

  test('the metrics are there', async () => {
    const text = await (await fetch(`${url}/metrics`)).text()
    expect(text).toContain('tollgate_')
  })

  test('its words name the file itself, and nothing inside it', async () => {
    await using help = run('--help')
    await help.exitCode
    await using second = run('serve', '--database-url', 'sqlite:other.db', '--config', 'none.yaml')
    await second.exitCode
    const acme = { wire: 'openai-chat', base_url: 'http://127.0.0.1:1/v1', api_key: 'k' }
    await folder.write('acme.yaml', { providers: { acme }, models: [standardModel()] })
    await using third = run('serve', '--database-url', 'sqlite:third.db', '--config', 'acme.yaml')
    const greeting = await third.says('key create')
    expect(greeting).toContain('./tollgate workspace create NAME')
    for (const text of [help.output, second.output, greeting, gateway.output]) {
      expect(text).not.toContain('bunfs')
      expect(text).not.toContain('bin/tollgate')
    }
  })

  test('it says its version and the commit that it was built from', async () => {
    await using said = run('version', '--json')
    await said.exitCode
    expect(JSON.parse(said.output)).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      commit: expect.stringMatching(/^[0-9a-f]{40}( with changes)?$/),
    })
  })

  test('a copy of the database is made and checked', async () => {
    await using backup = run('backup', 'copy.db', '--database-url', 'sqlite:data/tollgate.db')
    expect([await backup.exitCode, backup.output]).toEqual([0, expect.stringContaining('copy.db')])
  })
})

describe('with a provider', () => {
  test('text without a report is counted by the tokenizer, as the sources count it', async () => {
    const text = 'antidisestablishmentarianism '.repeat(40)
    const tokenizer = createTokenizer({ timeoutMs: TEST_LIMIT_MS })
    const count = await tokenizer.count(text)
    tokenizer.close()
    await using world = await startProcessWorld({
      processes: 1,
      provider: answers({ pieces: [text], usage: null }),
    })
    const { secret } = await world.createCustomer()
    const [process] = world.processes
    if (!process) throw new Error('there is no process')
    const response = await world.chat(process, secret)
    const { id } = (await response.json()) as { id: string }
    const receipt = await receiptOf(world.operations, id)
    expect(receipt.usage.completion_tokens).toBe(count)
  })

  test('after load it ends when it is asked to, with sound books and no thread that failed', async () => {
    await using world = await startProcessWorld({ processes: 1, provider: streams('Hello', ' world') })
    const { secret } = await world.createCustomer({ balance: '100' })
    const [process] = world.processes
    if (!process) throw new Error('there is no process')
    for (let round = 0; round < 20; round++) {
      const calls = Array.from({ length: 40 }, (_, i) => world.chat(process, secret, { stream: i % 2 === 0 }))
      for (const response of await Promise.all(calls)) {
        expect(response.status).toBe(200)
        await response.text()
      }
    }
    process.terminate()
    expect(await process.exited).toBe(0)
    expect(process.log()).not.toContain('"level":"warn"')
    expect((await world.command('ledger', 'verify')).code).toBe(0)
  })
})
