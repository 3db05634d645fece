import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Json, type JsonObject, isJsonObject } from '../../src/core/json.ts'
import { LINKED_PARTS, UNLISTED_PARTS } from './bunParts.ts'
import { outputOf } from './commands.ts'
import { objectOf, objectsOf, readObject, textOf } from './objects.ts'
import { type Publication, issuesOf } from './publication.ts'

/** An npm package that the program needs to run. */
export interface Component extends JsonObject {
  readonly 'bom-ref': string
  readonly name: string
  readonly version: string
}

/** A list of what the program consists of, in CycloneDX 1.5 (https://cyclonedx.org/docs/1.5/json). */
export interface BillOfMaterials extends JsonObject {
  readonly components: readonly Component[]
}

const DEVELOPMENT = 'cdx:npm:package:development'
/** Packages that the program does not need to run, and of which it has data inside: prices (`officialPrices.json`). */
export const DATA_PACKAGES: readonly string[] = ['@pydantic/genai-prices']

/**
 * The bill of materials of the package and of the one file: the npm packages by the lockfile, and the runtime with what is linked into
 * it. The same lockfile, time and npm give the same bill.
 * @param time of the commit, in seconds since 1970
 */
export function billOfMaterials(root: string, publication: Publication, time: number): BillOfMaterials {
  // Without --omit dev: it also leaves out what both the program and a tool need, such as zod (https://github.com/npm/cli/issues/7909).
  const written: unknown = JSON.parse(
    outputOf(root, 'npm', 'sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'),
  )
  if (!isJsonObject(written)) throw new Error('npm sbom wrote no object')
  const components = objectsOf(written, 'components')
    .filter(isComponent)
    .filter((component) => isShipped(root, component))
    .map((one) => (DATA_PACKAGES.includes(one.name) ? { ...one, type: 'data', properties: [] } : one))
  const own = readObject(root, 'package.json')
  const [name, version] = [textOf(own, 'name'), textOf(own, 'version')]
  const runtime = runtimeComponent()
  const reference = `${name}@${version}`
  const references = new Set([reference, ...components.map((component) => component['bom-ref'])])
  const bill = {
    ...written,
    metadata: {
      timestamp: new Date(time * 1_000).toISOString(),
      lifecycles: [{ phase: 'build' }],
      tools: objectsOf(objectOf(written, 'metadata'), 'tools'),
      component: {
        'bom-ref': reference,
        type: 'application',
        name,
        version,
        description: textOf(own, 'description'),
        purl: `pkg:npm/${reference}`,
        licenses: [{ license: { id: textOf(own, 'license') } }],
        externalReferences: referencesOf(publication),
      },
    },
    components: [...components, runtime],
    dependencies: dependenciesOf(written, references, [reference, runtime['bom-ref']]),
  }
  return { ...bill, serialNumber: `urn:uuid:${uuidOf({ ...bill, serialNumber: null })}` }
}

/**
 * What depends on what, among those that are listed.
 * @param program its reference, and that of its runtime
 */
function dependenciesOf(
  written: JsonObject,
  references: ReadonlySet<string>,
  [program, runtime]: readonly [string, string],
): Json {
  return objectsOf(written, 'dependencies')
    .filter((dependency) => references.has(textOf(dependency, 'ref')))
    .map((dependency) => {
      const ref = textOf(dependency, 'ref')
      const all = Array.isArray(dependency['dependsOn']) ? dependency['dependsOn'] : []
      const listed = all.filter((one) => typeof one === 'string' && references.has(one))
      return { ref, dependsOn: ref === program ? [...listed, runtime] : listed }
    })
}

function isComponent(component: JsonObject): component is Component {
  const { 'bom-ref': reference, name, version } = component
  return typeof reference === 'string' && typeof name === 'string' && typeof version === 'string'
}

/** Not a tool of the developers, and not a runtime for another system. */
function isShipped(root: string, component: Component): boolean {
  if (DATA_PACKAGES.includes(component.name)) return true
  const isTool = objectsOf(component, 'properties').some((property) => property['name'] === DEVELOPMENT)
  const isElsewhere =
    component['scope'] === 'optional' && !existsSync(join(root, 'node_modules', component.name))
  return !isTool && !isElsewhere
}

function runtimeComponent(): Component {
  const versions = process.versions as Readonly<Record<string, string | undefined>>
  const listed = LINKED_PARTS.map(({ name, source, versionKey }) => ({
    name,
    version: versionKey === undefined ? undefined : versions[versionKey],
    externalReferences: [{ type: 'website', url: source }],
  }))
  const others = UNLISTED_PARTS.map((name) => ({ name, version: versions[name] }))
  return {
    'bom-ref': `bun-runtime@${Bun.version}`,
    type: 'platform',
    name: 'Bun',
    version: Bun.version,
    description: 'The runtime that the one file has inside, and that the npm package of the same name brings',
    purl: `pkg:github/oven-sh/bun@bun-v${Bun.version}`,
    licenses: [{ license: { id: 'MIT' } }],
    components: [...listed, ...others].map((part) => ({ type: 'library', ...part })),
  }
}

function referencesOf({ repository, securityContact }: Publication): Json {
  const issues = repository === undefined ? undefined : issuesOf(repository)
  return [
    ...(repository === undefined ? [] : [{ type: 'vcs', url: repository }]),
    ...(issues === undefined ? [] : [{ type: 'issue-tracker', url: issues }]),
    ...(securityContact === undefined ? [] : [{ type: 'security-contact', url: securityContact }]),
  ]
}

/** A UUID of version 8 from the content, so that it is the same when the content is (RFC 9562, section 5.8). */
function uuidOf(content: unknown): string {
  const hex = new Bun.CryptoHasher('sha256').update(JSON.stringify(content)).digest('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}
