import { describe, expect, test } from 'bun:test'
import { checkedFetch } from '../support/checkedFetch.ts'
import { readStream } from '../support/readAnswer.ts'
import { createFolder, serveTollgate, startTollgate } from '../support/tollgateProcess.ts'

/** Starting a process takes a while on a loaded machine. */
const PATIENCE_MS = 60_000
const SECRET = /tg_[0-9A-Z]{52}/

/** Runs a line as a shell would; without curl, sends what it would send. */
async function paste(line: string): Promise<string> {
  if (Bun.which('curl') !== null) {
    const shell = Bun.spawn(['sh', '-c', line.replace(/^curl/, 'curl --silent --show-error --fail')], {
      stdout: 'pipe',
      stderr: 'inherit',
    })
    const text = await shell.stdout.text()
    expect(await shell.exited).toBe(0)
    return text
  }
  const headers = [...line.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name = '', value = '']) => [
    name,
    value,
  ])
  const url = /https?:\/\/\S+/.exec(line)?.[0] ?? ''
  const body = /-d '(.+)'$/.exec(line)?.[1] ?? ''
  const response = await fetch(url, {
    method: 'POST',
    headers: Object.fromEntries(headers) as Record<string, string>,
    body,
  })
  expect(response.status).toBe(200)
  return response.text()
}

describe('the first start in an empty folder', () => {
  test(
    'prints an address, a key and lines that work when pasted; the second prints no key',
    async () => {
      await using folder = await createFolder()
      const first = await serveTollgate(folder)
      const output = await first.process.says('The same as a stream')
      await first.process.says('"stream":true')
      expect(output).toContain(first.url)
      expect(output).toMatch(SECRET)
      expect(output).toContain('tollgate token create NAME')
      const lines = first.process.output.split('\n').map((line) => line.trim())
      const [plain, streamed] = lines.filter((line) => line.startsWith('curl '))
      if (plain === undefined || streamed === undefined) throw new Error(output)

      const completion = JSON.parse(await paste(plain)) as Record<string, unknown>
      expect(completion).toMatchObject({
        object: 'chat.completion',
        choices: [
          { index: 0, message: { role: 'assistant', content: expect.any(String) }, finish_reason: 'stop' },
        ],
      })
      const answer = readStream(await paste(streamed))
      expect(answer.done).toBe(true)
      expect(answer.chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' })

      for (const path of ['/', '/docs', '/api/v1/public/models', '/readyz']) {
        expect((await fetch(first.url + path)).status).toBe(200)
      }
      first.process.signal('SIGTERM')
      expect(await first.process.exitCode).toBe(0)

      const second = await serveTollgate(folder)
      await second.process.says('New key:')
      expect(second.process.output).not.toContain('tg_')
      expect(second.process.output).not.toContain('curl')
      // The key of the first start still works.
      const again = await paste(plain.replaceAll(first.url, second.url))
      expect(JSON.parse(again)).toMatchObject({ object: 'chat.completion' })
      second.process.signal('SIGTERM')
      expect(await second.process.exitCode).toBe(0)
    },
    PATIENCE_MS,
  )
})

describe('the key of the first start', () => {
  const REAL = { targets: [{ provider: 'openai', model: 'gpt-5-mini' }] }
  const BOTH = [
    { provider: 'demo', model: 'chat' },
    { provider: 'openai', model: 'gpt-5-mini', priority: 1 },
  ]
  const FILE = {
    providers: { openai: { api_key: 'sk-real' }, demo: {} },
    models: [
      'openai/gpt-5-mini',
      // Its name is nothing to go by, nor is its first target.
      { id: 'demo/real', ...REAL },
      {
        id: 'both',
        targets: BOTH,
        context_length: 1000,
        max_output_tokens: 100,
        our_price: { input: 1, output: 1 },
      },
      { id: 'free', targets: [{ provider: 'demo', model: 'chat' }] },
    ],
  }

  test(
    'spends at no provider but the demo, whatever a file has beside it',
    async () => {
      await using folder = await createFolder()
      await folder.write('tollgate.yaml', FILE)
      const served = await serveTollgate(folder)
      await using process = served.process
      const output = await process.says('"stream":true')
      const headers = { authorization: `Bearer ${SECRET.exec(output)?.[0]}` }
      expect([...output.matchAll(/"model":"([^"]+)"/g)].map(([, model]) => model)).toEqual(['free', 'free'])

      const list = (await (await checkedFetch(`${served.url}/v1/models`, { headers })).json()) as {
        data: { id: string }[]
      }
      expect(list.data.map(({ id }) => id)).toEqual(['free'])
      for (const model of ['openai/gpt-5-mini', 'demo/real', 'both']) {
        const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Say hello' }] })
        const answer = await checkedFetch(`${served.url}/v1/chat/completions`, {
          method: 'POST',
          headers,
          body,
        })
        expect([model, answer.status]).toEqual([model, 403])
      }
    },
    PATIENCE_MS,
  )
})

describe('a file with mistakes', () => {
  const FILE = [
    'server: { port: 99999 }',
    'providers:',
    '  acme: { wire: nonsense }',
    'models:',
    '  - id: acme/x',
    '    targets: [{ provider: acme, model: y }]',
    '    our_price: { input: -1, output: 1 }',
    '    oops: 1',
    '',
  ].join('\n')
  const MISTAKES = [
    /^\S*tollgate\.yaml:1:\d+ server\.port .*99999/m,
    /^\S*tollgate\.yaml:3:\d+ providers\.acme\.wire .*nonsense/m,
    /^\S*tollgate\.yaml:7:\d+ models\[0\]\.our_price\.input /m,
    /^\S*tollgate\.yaml:8:\d+ models\[0\]\.oops /m,
  ]

  test.each(['check', 'serve'])(
    'is refused by %s, which names each with file, line and path',
    async (command) => {
      await using folder = await createFolder()
      await folder.write('tollgate.yaml', FILE)
      await using process = startTollgate(folder, [command], { TOLLGATE_PORT: '' })
      expect(await process.exitCode).not.toBe(0)
      for (const mistake of MISTAKES) expect(process.output).toMatch(mistake)
      expect(process.output).not.toContain('listens on')
    },
    PATIENCE_MS,
  )

  test(
    'a file without any passes',
    async () => {
      await using folder = await createFolder()
      await folder.write('tollgate.yaml', { providers: { demo: {} }, models: 'all' })
      await using process = startTollgate(folder, ['check'])
      expect(process.output + String(await process.exitCode)).toEndWith('0')
    },
    PATIENCE_MS,
  )
})
