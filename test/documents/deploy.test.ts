import { expect, test } from 'bun:test'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PAGES, shownFiles, withDeployFiles } from '../../scripts/deployFiles.ts'
import { parse } from 'yaml'
import { loadSettings } from '../../src/config/loadSettings.ts'
import { serverSchema } from '../../src/config/schema.ts'
import { version } from '../../src/program.ts'
import { expectCurrent } from '../support/generated.ts'
import { readPage } from './page.ts'

const ROOT = join(import.meta.dir, '../..')
const DEPLOY = join(ROOT, 'deploy')
const DRAIN_SECONDS = serverSchema.parse({}).drain / 1_000
/** The database of the compose file has no calls to wait for. */
const POSTGRES_STOP_SECONDS = 60

test.each(PAGES)('%s shows files of deploy/ as they are', (path) => {
  const { text } = readPage(path)
  expect(shownFiles(text)).not.toEqual([])
  expectCurrent(path, text, withDeployFiles(text), 'scripts/updateDeployFiles.ts')
})

/** Where a supervisor reads how long a stop may take, in seconds. */
const STOP_TIMES: readonly [file: string, pattern: RegExp][] = [
  ['tollgate.service', /^TimeoutStopSec=(\d+)$/m],
  ['compose.yaml', /^ {4}stop_grace_period: (\d+)s$/m],
]
/** The chart adds up its own, from these. */
const CHART = join(DEPLOY, 'helm/tollgate')

test.each(STOP_TIMES)('%s gives a drain its whole time, and half a minute more', (file, pattern) => {
  const seconds = Number(pattern.exec(readFileSync(join(DEPLOY, file), 'utf8'))?.[1])
  expect(seconds).toBe(DRAIN_SECONDS + 30)
})

test('a stop time of a page is the same', () => {
  const texts = ['docs/deploy.md', 'docs/operations.md', 'CHANGELOG.md'].map((path) => readPage(path).text)
  const times = texts.flatMap((text) =>
    Array.from(
      text.matchAll(
        /(?:TimeoutStopSec=|stop_grace_period: |--stop-timeout |stop -t |GracePeriodSeconds: )(\d+)/g,
      ),
      ([, seconds]) => Number(seconds),
    ),
  )
  expect(times.length).toBeGreaterThan(5)
  expect(new Set(times.filter((seconds) => seconds !== POSTGRES_STOP_SECONDS))).toEqual(
    new Set([DRAIN_SECONDS + 30]),
  )
})

test('every file of deploy/ is in the README of the folder, and what pages show is there', () => {
  const shown = PAGES.flatMap((path) => shownFiles(readPage(path).text)).map((file) =>
    file.replace('deploy/', ''),
  )
  const files = readdirSync(DEPLOY).filter((file) => file !== 'README.md')
  const readme = readFileSync(join(DEPLOY, 'README.md'), 'utf8')
  expect(files.filter((file) => !readme.includes(`(${file}`))).toEqual([])
  expect(shown.filter((file) => !files.includes(file.split('/')[0] ?? file))).toEqual([])
})

test('the chart is of this version, gives a drain its time, and its configuration has no mistake', () => {
  const chart = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'))
  expect([chart.version, chart.appVersion]).toEqual([version, version])
  const values = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8'))
  expect(values.drainSeconds).toBe(DRAIN_SECONDS)
  expect(readFileSync(join(CHART, 'templates/deployment.yaml'), 'utf8')).toContain(
    'terminationGracePeriodSeconds: {{ add .Values.endpointDelaySeconds .Values.drainSeconds 30 }}',
  )
  // The values name none: Helm would add it to those of an operator.
  expect(values.config.providers).toEqual({})
  const providers = { openai: { api_key: '${OPENAI_API_KEY}' } }
  const env = {
    TOLLGATE_METRICS_TOKEN: crypto.randomUUID(),
    OPENAI_API_KEY: 'sk-test',
    TOLLGATE_CONFIG: 'values.yaml',
  }
  const loaded = loadSettings({
    flags: {},
    env,
    readFile: () => JSON.stringify({ ...values.config, providers }),
  })
  expect(loaded).toMatchObject({ ok: true, warnings: [] })
})

/** Files of operators that may lie in a clone, and hold secrets. */
const PRIVATE_FILES = [
  '.env',
  '.env.production',
  'tollgate.env',
  'tollgate.yaml',
  'deploy/.env',
  'deploy/tollgate.env',
  'deploy/tollgate.yaml',
  'deploy/config/tollgate.yaml',
  'deploy/config/ca.pem',
]

test('no file that may hold secrets gets into the context of an image', () => {
  const ignores = readFileSync(join(DEPLOY, 'Dockerfile.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  // An exception, or a folder that is written with a slash, would need more than these patterns.
  expect(ignores.filter((pattern) => /^[!/]|\/$/.test(pattern))).toEqual([])
  const isIgnored = (path: string): boolean =>
    ignores.some((pattern) => [pattern, `${pattern}/**`].some((glob) => new Bun.Glob(glob).match(path)))
  expect(PRIVATE_FILES.filter((path) => !isIgnored(path))).toEqual([])
  const needed = ['package.json', 'src/main.ts', 'src/config/schema.ts', 'scripts/build.ts', 'tollgate']
  expect(needed.filter(isIgnored)).toEqual([])
})

test('git does not take up a file that may hold secrets', () => {
  // A repository of its own: a copy of the checkout has none.
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-ignore-'))
  try {
    copyFileSync(join(ROOT, '.gitignore'), join(folder, '.gitignore'))
    const git = (...words: string[]) => Bun.spawnSync(['git', ...words], { cwd: folder }).stdout.toString()
    git('init', '--quiet')
    expect(
      git('check-ignore', ...PRIVATE_FILES)
        .trim()
        .split('\n'),
    ).toEqual(PRIVATE_FILES)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('the image of a release and the image of the sources are two targets of one file, and Compose names one', () => {
  const targets = Array.from(
    readFileSync(join(DEPLOY, 'Dockerfile'), 'utf8').matchAll(/^FROM base AS (\w+)$/gm),
    ([, name]) => name,
  )
  expect(targets).toEqual(['release', 'sources'])
  const { services } = parse(readFileSync(join(DEPLOY, 'compose.yaml'), 'utf8'))
  expect(targets).toContain(services.tollgate.build.target)
})
