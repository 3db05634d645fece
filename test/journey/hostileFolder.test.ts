import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { COMMANDS } from '../../src/cli/commands/index.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { createFolder, type Folder, serveTollgate, startTollgate } from '../support/tollgateProcess.ts'

/** What only a process that obeys the folder writes, wherever it stands. */
const TRAP = "require('node:fs').writeFileSync(import.meta.dir + '/obeyed', 'obeyed')"
const BUN = join(import.meta.dir, '../../bin/bun')

let folder: Folder
let thief: Bun.Server<undefined>
let stolen = 0

beforeAll(async () => {
  folder = await createFolder()
  thief = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch() {
      stolen++
      return new Response('{}')
    },
  })
  const bunfig = 'preload = ["./trap.ts"]\n[run]\nsilent = true\n'
  const variables = [
    `TOLLGATE_URL=${thief.url.origin}`,
    'TOLLGATE_ADMIN_TOKEN=known-to-the-thief',
    `HTTP_PROXY=${thief.url.origin}`,
    `http_proxy=${thief.url.origin}`,
    'NODE_TLS_REJECT_UNAUTHORIZED=0',
    'TOLLGATE_CONFIG=stolen.yaml',
  ].join('\n')
  await folder.write('trap.ts', TRAP)
  for (const name of ['bunfig.toml', '.bunfig.toml']) await folder.write(name, bunfig)
  for (const name of ['.env', '.env.local', '.env.production', '.env.development']) {
    await folder.write(name, variables)
  }
  await folder.write('tsconfig.json', { compilerOptions: { paths: { '*': ['./trap.ts'] } } })
  await folder.write('package.json', { name: 'hostile', imports: { '#*': './trap.ts' } })
  for (const name of ['zod', 'yaml', 'hono']) {
    await folder.write(`node_modules/${name}/package.json`, { name, main: '../../trap.ts' })
  }
})
afterAll(async () => {
  await thief.stop(true)
  await folder[Symbol.asyncDispose]()
})

function obeyed(): boolean {
  return existsSync(join(folder.path, 'obeyed'))
}

/** The environment of somebody whose home is the folder, too. */
const environment = () => ({ HOME: folder.path, XDG_CONFIG_HOME: folder.path })

test('the trap catches a program that obeys the folder', async () => {
  const script = 'console.log(process.env.TOLLGATE_URL)'
  const child = Bun.spawn([BUN, '-e', script], { cwd: folder.path, env: {}, stdout: 'pipe' })
  expect(await new Response(child.stdout).text()).toContain(thief.url.origin)
  expect(obeyed()).toBe(true)
  await Bun.file(join(folder.path, 'obeyed')).delete()
})

test('tollgate help obeys no file of the current folder', async () => {
  await using run = startTollgate(folder, ['--help'], environment())
  expect(await run.exitCode).toBe(0)
  expect(obeyed()).toBe(false)
})

for (const { name, positionals } of COMMANDS) {
  if (name === 'serve') continue
  test.concurrent(
    `tollgate ${name} obeys no file of the current folder`,
    async () => {
      const given = positionals.filter(({ required }) => required).map(() => 'ws_1')
      await using run = startTollgate(folder, [...name.split(' '), ...given, '--json'], environment())
      await run.exitCode
      expect(run.output).not.toContain(thief.url.origin)
      expect(run.output).not.toContain('stolen.yaml')
      expect(obeyed()).toBe(false)
      expect(stolen).toBe(0)
    },
    TEST_LIMIT_MS,
  )
}

test(
  'tollgate serve obeys no file of the current folder',
  async () => {
    const { process, url } = await serveTollgate(folder, [], environment())
    await using _ = process
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    expect(obeyed()).toBe(false)
    expect(stolen).toBe(0)
  },
  TEST_LIMIT_MS,
)

test('tollgate leaves nothing in the home folder or the current one', async () => {
  await using place = await createFolder()
  const home = join(place.path, 'home')
  const current = join(place.path, 'current')
  for (const path of [home, current]) await mkdir(path)
  // Without a home the runtime would take the current folder.
  for (const env of [{ HOME: home }, { HOME: '', XDG_CACHE_HOME: '' }]) {
    await using run = startTollgate({ ...place, path: current }, ['models'], env)
    await run.exitCode
    for (const path of [home, current]) expect(await readdir(path, { recursive: true })).toEqual([])
  }
})
