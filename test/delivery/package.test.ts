import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseJson } from '../../src/core/json.ts'

// npm fetches the packages of the program, most of them from its cache.
setDefaultTimeout(180_000)

const ROOT = join(import.meta.dir, '../..')

let folder: string
let tarball: string
let files: readonly string[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-package-'))
  const packed = await npm(ROOT, 'pack', '--json', '--pack-destination', folder)
  const [made] = parseJson(packed) as unknown as [{ filename: string; files: { path: string }[] }]
  tarball = join(folder, made.filename)
  files = made.files.map(({ path }) => path)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Standard output of a command of npm that succeeds. */
async function npm(cwd: string, ...words: string[]): Promise<string> {
  const child = Bun.spawn(['npm', ...words], { cwd, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  expect([await child.exited, errors]).toEqual([0, expect.any(String)])
  return output
}

test('the package holds what the gateway runs and its documents, and no test, bench or script', () => {
  const outside =
    /^(?:bin|src|docs)\/|^[A-Z]+\.md$|^(?:LICENSE|package\.json|tsconfig\.json|tollgate\.example\.yaml)$/
  expect(files.filter((file) => !outside.test(file))).toEqual([])
  expect(files.filter((file) => /\.test\.ts$|__fixtures__/.test(file))).toEqual([])
  expect(files).toContain('src/main.ts')
  expect(files).toContain('docs/start.md')
})

test('npx starts the gateway in any folder, and its data lie below that folder', async () => {
  const place = join(folder, 'any folder')
  await mkdir(place)
  const child = Bun.spawn(['npx', '--yes', '--package', tarball, 'tollgate', 'serve', '--port', '0'], {
    cwd: place,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
    // A group of its own: npx starts a shell, and that the gateway.
    detached: true,
  })
  try {
    const banner = await read(child.stdout, /The same as a stream/)
    const url = /listens on (\S+)/.exec(banner)?.[1] ?? ''
    const key = /\btg_\w+/.exec(banner)?.[0] ?? ''
    expect(banner).toContain('sqlite:./data/tollgate.db')
    expect(existsSync(join(place, 'data/tollgate.db'))).toBe(true)
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo/chat', messages: [{ role: 'user', content: 'Hello' }] }),
    })
    expect(response.status).toBe(200)
    expect((await fetch(`${url}/docs/start`)).status).toBe(200)
  } finally {
    process.kill(-child.pid, 'SIGTERM')
    await child.exited
  }
})

test('an installation has none of the packages of the tests', async () => {
  const place = join(folder, 'installed')
  await mkdir(place)
  await npm(place, 'install', '--no-audit', '--no-fund', tarball)
  for (const name of ['openai', 'typescript', 'knip', 'oxlint', '@pydantic/genai-prices'])
    expect(existsSync(join(place, 'node_modules', name))).toBe(false)
  const version = Bun.spawnSync([join(place, 'node_modules/.bin/tollgate'), 'version'], { cwd: place })
  expect(version.stdout.toString()).toStartWith('tollgate ')
})

/** What a process writes until it matches. */
async function read(output: ReadableStream<Uint8Array>, pattern: RegExp): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of output) {
    text += decoder.decode(bytes, { stream: true })
    if (pattern.test(text)) return text
  }
  throw new Error(`it ended without ${pattern}: ${text}`)
}
