import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { parse, parseAllDocuments } from 'yaml'
import { loadSettings } from '../../src/config/loadSettings.ts'
import { isJsonObject, type JsonObject } from '../../src/core/json.ts'
import { skipFor } from '../support/runEvents.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'

const CHART = join(import.meta.dir, '../../deploy/helm/tollgate')
const RENDERER = join(import.meta.dir, 'chart/render.go')
/** Where Debian's packages put the sources: golang-github-masterminds-sprig-dev, golang-github-ghodss-yaml-dev. */
const SOURCES = '/usr/share/gocode'
const PATH = `${process.env['PATH'] ?? ''}:/usr/lib/go/bin:/usr/lib/go-1.19/bin`
const GO = Bun.which('go', { PATH })

/** What docs/deploy.md says to set. */
const PROVIDERS = { openai: { api_key: '${OPENAI_API_KEY}' } }
const USUAL = { config: { providers: PROVIDERS } }

/** A manifest; the tests look deep into it. */
// oxlint-disable-next-line typescript/no-explicit-any
type Manifest = any

function missing(): string | undefined {
  if (GO === null) return 'the chart is not rendered: Go is not installed'
  const packages = ['Masterminds/sprig', 'ghodss/yaml'].filter(
    (name) => !existsSync(join(SOURCES, 'src/github.com', name)),
  )
  return packages.length > 0 ? `the chart is not rendered: ${packages.join(', ')} missing` : undefined
}

describe.skipIf(skipFor(missing()))('the chart', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tollgate-chart-'))
    const { exitCode, stderr } = Bun.spawnSync(
      [GO ?? 'go', 'build', '-o', join(folder, 'render'), RENDERER],
      {
        env: { PATH, HOME: folder, GOPATH: SOURCES, GO111MODULE: 'off', GOCACHE: join(folder, 'cache') },
      },
    )
    expect([exitCode, stderr.toString()]).toEqual([0, ''])
  }, TEST_LIMIT_MS)
  afterAll(() => rm(folder, { recursive: true, force: true }))

  /** What it says with these values laid over its own, as Helm lays them. */
  async function rendered(values: JsonObject) {
    const own = parse(await readFile(join(CHART, 'values.yaml'), 'utf8')) as JsonObject
    const file = join(folder, `${crypto.randomUUID()}.json`)
    await writeFile(file, JSON.stringify(laidOver(own, values)))
    const { stdout, stderr } = Bun.spawnSync([join(folder, 'render'), CHART, file])
    return { text: stdout.toString(), error: stderr.toString() }
  }

  async function manifests(values: JsonObject): Promise<Record<string, Manifest>> {
    const { text, error } = await rendered(values)
    expect(error).toBe('')
    const yaml = text.slice(text.indexOf('--- # config.yaml'))
    const documents = parseAllDocuments(yaml).map((document) => {
      expect(document.errors).toEqual([])
      return document.toJS() as Manifest
    })
    return Object.fromEntries(documents.filter(Boolean).map((one: Manifest) => [one.kind, one]))
  }

  test('renders with a provider alone, and its configuration has no mistake', async () => {
    const all = await manifests(USUAL)
    expect(Object.keys(all).toSorted()).toEqual(['ConfigMap', 'Deployment', 'PodDisruptionBudget', 'Service'])
    const written = all['ConfigMap'].data['tollgate.yaml'] as string
    const env = { TOLLGATE_METRICS_TOKEN: crypto.randomUUID(), OPENAI_API_KEY: 'sk-test' }
    const loaded = loadSettings({
      flags: {},
      env: { ...env, TOLLGATE_CONFIG: 'tollgate.yaml' },
      readFile: () => written,
    })
    expect(loaded).toMatchObject({ ok: true, warnings: [] })
    expect(parse(written)).toMatchObject({ server: { host: '0.0.0.0', port: 4100, drain: '300s' } })
  })

  test('has the providers of the values and no others', async () => {
    const providers = { anthropic: { api_key: '${ANTHROPIC_API_KEY}' } }
    const { ConfigMap } = await manifests({ config: { providers } })
    expect(parse(ConfigMap.data['tollgate.yaml']).providers).toEqual(providers)
  })

  test('asks the process and not the database whether a pod lives, and gives a drain its time', async () => {
    const { Deployment } = await manifests(USUAL)
    const { spec } = Deployment.spec.template
    const [container] = spec.containers
    expect(spec.terminationGracePeriodSeconds).toBe(335)
    expect(container.lifecycle.preStop.exec.command).toEqual(['sleep', '5'])
    expect([container.livenessProbe, container.readinessProbe].map(({ httpGet }) => httpGet.path)).toEqual([
      '/healthz',
      '/readyz',
    ])
  })

  test('takes secrets from the Secret alone, and starts no pod without the database', async () => {
    const { ConfigMap, Deployment } = await manifests({ ...USUAL, secret: 'own' })
    const [container] = Deployment.spec.template.spec.containers
    expect(container.envFrom).toEqual([{ secretRef: { name: 'own' } }])
    expect(container.env).toContainEqual({
      name: 'TOLLGATE_DATABASE_URL',
      valueFrom: { secretKeyRef: { name: 'own', key: 'TOLLGATE_DATABASE_URL' } },
    })
    const written = ConfigMap.data['tollgate.yaml'] as string
    expect(written).not.toContain('postgres://')
    const secrets = [...written.matchAll(/(?:token|key): (.*)/g)].map(([, value]) => value)
    expect(secrets.length).toBeGreaterThan(1)
    expect(secrets.filter((value) => !value?.startsWith('${'))).toEqual([])
  })

  test('adds what else a pod needs: variables, files, an account', async () => {
    const { Deployment } = await manifests({
      ...USUAL,
      serviceAccountName: 'gateway',
      extraEnv: [{ name: 'GOOGLE_APPLICATION_CREDENTIALS', value: '/keys/google.json' }],
      extraVolumes: [{ name: 'keys', secret: { secretName: 'google' } }],
      extraVolumeMounts: [{ name: 'keys', mountPath: '/keys', readOnly: true }],
    })
    const { spec } = Deployment.spec.template
    expect(spec.serviceAccountName).toBe('gateway')
    expect(spec.containers[0].env.at(-1).value).toBe('/keys/google.json')
    expect(spec.volumes.map(({ name }: Manifest) => name)).toEqual(['config', 'keys'])
    expect(spec.containers[0].volumeMounts.map(({ mountPath }: Manifest) => mountPath)).toEqual([
      '/etc/tollgate',
      '/keys',
    ])
  })

  test('has a monitor of its pods where it is asked for', async () => {
    const { PodMonitor, Deployment } = await manifests({
      ...USUAL,
      podMonitor: { enabled: true, labels: { release: 'prometheus' } },
    })
    expect(PodMonitor.metadata.labels.release).toBe('prometheus')
    expect(PodMonitor.spec.selector.matchLabels).toEqual(Deployment.spec.template.metadata.labels)
    expect(PodMonitor.spec.podMetricsEndpoints).toEqual([
      {
        port: Deployment.spec.template.spec.containers[0].ports[0].name,
        path: '/metrics',
        interval: '15s',
        authorization: { credentials: { name: 'tollgate', key: 'TOLLGATE_METRICS_TOKEN' } },
      },
    ])
  })

  test.each<[name: string, values: JsonObject]>([
    ['config.providers is empty', {}],
    ['config.providers is empty', { config: { providers: null } }],
    ['secret is empty', { ...USUAL, secret: '' }],
    ['config.database is not read', { config: { providers: PROVIDERS, database: 'postgres://db/tollgate' } }],
    ['config.server.port is not read', { config: { providers: PROVIDERS, server: { port: 80 } } }],
    ['config.server.host is not read', { config: { providers: PROVIDERS, server: { host: '::' } } }],
    ['config.server.drain is not read', { config: { providers: PROVIDERS, server: { drain: '1s' } } }],
  ])('says so when %s', async (message, values) => {
    const { text, error } = await rendered(values)
    expect(error).toContain(`${message}`)
    expect(text).not.toContain('kind: Deployment')
  })
})

/** Maps are merged, a null takes away, and other values replace. */
function laidOver(below: JsonObject, above: JsonObject): JsonObject {
  const kept = Object.entries(below).filter(([name]) => above[name] === undefined)
  const laid = Object.entries(above).filter(([, value]) => value !== null)
  const merged = laid.map(([name, value]) => {
    const old = below[name]
    return [name, isJsonObject(old) && isJsonObject(value) ? laidOver(old, value) : value] as const
  })
  return Object.fromEntries([...kept, ...merged])
}
