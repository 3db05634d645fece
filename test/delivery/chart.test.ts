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

/** A manifest; the tests look deep into it, by its own names. */
class Manifest {
  readonly json: unknown

  constructor(json: unknown) {
    this.json = json
  }

  /** What is at a place, such as `spec.containers.0.env`; undefined: nothing. */
  at(place: string): unknown {
    return place.split('.').reduce((value: unknown, name) => {
      if (typeof value !== 'object' || value === null) return undefined
      return Object.entries(value).find(([key]) => key === name)?.[1]
    }, this.json)
  }

  /** What each of a list has at a place. */
  each(list: string, place: string): unknown[] {
    const found = this.at(list)
    return Array.isArray(found) ? found.map((one) => new Manifest(one).at(place)) : []
  }

  /** The file that a ConfigMap holds. */
  get file(): string {
    const { data } = this.json as { data: Record<string, string> }
    return data['tollgate.yaml'] ?? ''
  }
}

const POD = 'spec.template.spec'
const CONTAINER = `${POD}.containers.0`

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

  async function manifests(values: JsonObject): Promise<(kind: string) => Manifest> {
    const all = await allManifests(values)
    return (kind) => {
      const found = all.find((manifest) => manifest.at('kind') === kind)
      if (!found) throw new Error(`there is no ${kind}`)
      return found
    }
  }

  async function allManifests(values: JsonObject): Promise<readonly Manifest[]> {
    const { text, error } = await rendered(values)
    expect(error).toBe('')
    const yaml = text.slice(text.indexOf('--- # config.yaml'))
    return parseAllDocuments(yaml)
      .map((document) => {
        expect(document.errors).toEqual([])
        return new Manifest(document.toJS())
      })
      .filter(({ json }) => json !== null)
  }

  test('renders with a provider alone, and its configuration has no mistake', async () => {
    const kinds = (await allManifests(USUAL)).map((manifest) => String(manifest.at('kind')))
    expect(kinds.toSorted()).toEqual(['ConfigMap', 'Deployment', 'PodDisruptionBudget', 'Service'])
    const written = (await manifests(USUAL))('ConfigMap').file
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
    const chart = await manifests({ config: { providers } })
    expect(new Manifest(parse(chart('ConfigMap').file)).at('providers')).toEqual(providers)
  })

  test('asks the process and not the database whether a pod lives, and gives a drain its time', async () => {
    const deployment = (await manifests(USUAL))('Deployment')
    expect(deployment.at(`${POD}.terminationGracePeriodSeconds`)).toBe(335)
    expect(deployment.at(`${CONTAINER}.lifecycle.preStop.exec.command`)).toEqual(['sleep', '5'])
    const paths = ['livenessProbe', 'readinessProbe'].map((probe) =>
      deployment.at(`${CONTAINER}.${probe}.httpGet.path`),
    )
    expect(paths).toEqual(['/healthz', '/readyz'])
  })

  test('takes secrets from the Secret alone, and starts no pod without the database', async () => {
    const chart = await manifests({ ...USUAL, secret: 'own' })
    expect(chart('Deployment').at(`${CONTAINER}.envFrom`)).toEqual([{ secretRef: { name: 'own' } }])
    expect(chart('Deployment').at(`${CONTAINER}.env`)).toContainEqual({
      name: 'TOLLGATE_DATABASE_URL',
      valueFrom: { secretKeyRef: { name: 'own', key: 'TOLLGATE_DATABASE_URL' } },
    })
    const written = chart('ConfigMap').file
    expect(written).not.toContain('postgres://')
    const secrets = [...written.matchAll(/(?:token|key): (.*)/g)].map(([, value]) => value)
    expect(secrets.length).toBeGreaterThan(1)
    expect(secrets.filter((value) => !value?.startsWith('${'))).toEqual([])
  })

  test('adds what else a pod needs: variables, files, an account', async () => {
    const chart = await manifests({
      ...USUAL,
      serviceAccountName: 'gateway',
      extraEnv: [{ name: 'GOOGLE_APPLICATION_CREDENTIALS', value: '/keys/google.json' }],
      extraVolumes: [{ name: 'keys', secret: { secretName: 'google' } }],
      extraVolumeMounts: [{ name: 'keys', mountPath: '/keys', readOnly: true }],
    })
    const deployment = chart('Deployment')
    expect(deployment.at(`${POD}.serviceAccountName`)).toBe('gateway')
    expect(deployment.each(`${CONTAINER}.env`, 'value').at(-1)).toBe('/keys/google.json')
    expect(deployment.each(`${POD}.volumes`, 'name')).toEqual(['config', 'keys'])
    expect(deployment.each(`${CONTAINER}.volumeMounts`, 'mountPath')).toEqual(['/etc/tollgate', '/keys'])
  })

  test('has a monitor of its pods where it is asked for', async () => {
    const chart = await manifests({
      ...USUAL,
      podMonitor: { enabled: true, labels: { release: 'prometheus' } },
    })
    const [monitor, deployment] = [chart('PodMonitor'), chart('Deployment')]
    expect(monitor.at('metadata.labels.release')).toBe('prometheus')
    expect(monitor.at('spec.selector.matchLabels')).toEqual(deployment.at('spec.template.metadata.labels'))
    expect(monitor.at('spec.podMetricsEndpoints')).toEqual([
      {
        port: deployment.at(`${CONTAINER}.ports.0.name`),
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
    expect(error).toContain(message)
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
