import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TEST_LIMIT_MS } from '../../test/support/scale.ts'
import { type BillOfMaterials, DATA_PACKAGES, billOfMaterials } from './billOfMaterials.ts'
import { outputOf } from './commands.ts'
import { thirdPartyLicenses } from './licenses.ts'
import { objectOf, readObject, textOf } from './objects.ts'
import { prepareRelease } from './prepareRelease.ts'
import { packageFields, readPublication } from './publication.ts'

const ROOT = join(import.meta.dir, '../..')
const PACKAGE = readObject(ROOT, 'package.json')
const VERSION = textOf(PACKAGE, 'version')
const NAME = `tollgate-${VERSION}-${process.platform}-${process.arch}`
const UNKNOWN = readPublication('', '')
const KNOWN = readPublication('https://github.com/example/tollgate', 'security@example.com')

let folder: string
let first: string
let files: readonly string[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-prepared-'))
  first = join(folder, 'first')
  files = await prepare('first')
}, TEST_LIMIT_MS)
afterAll(() => rm(folder, { recursive: true, force: true }))

/** A release around a program that is a line of text, with an unusual mode and the time of now. */
async function prepare(name: string): Promise<readonly string[]> {
  const program = join(folder, `program of ${name}`)
  await writeFile(program, 'the program\n', { mode: 0o600 })
  await writeFile(`${program}.order`, 'the record\n')
  return prepareRelease(join(folder, name), { root: ROOT, version: VERSION, program, publication: KNOWN })
}

function unpack(archive: string): string {
  outputOf(first, 'tar', '-xzf', archive)
  return first
}

test('the checksums are those of the files, as sha256sum reads them', () => {
  expect(files).toEqual([
    `${NAME}.tar.gz`,
    `${NAME}.order`,
    `tollgate-${VERSION}.tgz`,
    `tollgate-${VERSION}.cdx.json`,
    'THIRD-PARTY-LICENSES.md',
    'SHA256SUMS',
  ])
  expect(outputOf(first, 'sha256sum', '-c', 'SHA256SUMS').trimEnd().split('\n')).toHaveLength(
    files.length - 1,
  )
})

test(
  'prepared twice of the same commit and program, it has the same checksums',
  async () => {
    await prepare('second')
    const [one, two] = ['first', 'second'].map((name) =>
      readFileSync(join(folder, name, 'SHA256SUMS'), 'utf8'),
    )
    expect(two ?? '').toBe(one ?? '')
  },
  TEST_LIMIT_MS,
)

test('the archive has the program, which may be run, its licenses, and every page that the README leads to', () => {
  const inside = join(unpack(`${NAME}.tar.gz`), NAME)
  const listed = outputOf(first, 'tar', '-tvzf', `${NAME}.tar.gz`)
  expect(listed).toMatch(new RegExp(`^-rwxr-xr-x 0/0 .* ${NAME}/tollgate$`, 'm'))
  expect(readFileSync(join(inside, 'tollgate'), 'utf8')).toBe('the program\n')
  for (const file of ['LICENSE', 'THIRD-PARTY-LICENSES.md', 'deploy/tollgate.service'])
    expect(existsSync(join(inside, file))).toBe(true)
  const readme = readFileSync(join(inside, 'README.md'), 'utf8')
  const links = Array.from(readme.matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g), ([, link = '']) => link)
  expect(links.length).toBeGreaterThan(20)
  expect(links.filter((link) => !existsSync(join(inside, link)))).toEqual([])
})

test(
  'the package has the files that npm packs from the repository, and the addresses, which the repository has not',
  () => {
    const inside = join(unpack(`tollgate-${VERSION}.tgz`), 'package')
    expect(readObject(inside, 'package.json')).toEqual({ ...PACKAGE, ...packageFields(KNOWN) })
    expect(readFileSync(join(inside, 'SECURITY.md'), 'utf8')).toContain('<security@example.com>')
    expect(readObject(ROOT, 'package.json')).not.toHaveProperty('repository')
    const [packed] = JSON.parse(outputOf(ROOT, 'npm', 'pack', '--dry-run', '--json')) as [
      { files: { path: string }[] },
    ]
    const listed = outputOf(first, 'tar', '-tzf', `tollgate-${VERSION}.tgz`).trimEnd().split('\n')
    expect(listed.toSorted()).toEqual(packed.files.map(({ path }) => `package/${path}`).toSorted())
  },
  TEST_LIMIT_MS,
)

describe('the bill of materials', () => {
  let bill: BillOfMaterials
  beforeAll(() => void (bill = billOfMaterials(ROOT, KNOWN, 1_795_000_000)))

  const names = (): string[] => bill.components.map(({ name }) => name)

  test('has every package of the program, also those that a tool needs too, and no tool but for its data', () => {
    const dependencies = Object.keys(objectOf(PACKAGE, 'dependencies'))
    expect(dependencies.filter((name) => !names().includes(name))).toEqual([])
    expect(names()).toContain('@opentelemetry/api')
    const tools = Object.keys(objectOf(PACKAGE, 'devDependencies'))
    expect(tools.filter((name) => names().includes(name))).toEqual([...DATA_PACKAGES])
    const { source } = readObject(ROOT, 'src/catalog/officialPrices.json')
    expect(bill.components.find((one) => one['bom-ref'] === source)).toMatchObject({
      type: 'data',
      properties: [],
    })
  })

  test('has the runtime of this system alone, with what is linked into it', () => {
    const runtimes = names().filter((name) => name.startsWith('@oven/'))
    expect(runtimes.length).toBeLessThanOrEqual(1)
    const runtime = bill.components.find(({ name }) => name === 'Bun')
    expect(runtime).toMatchObject({ type: 'platform', version: Bun.version })
    expect(JSON.stringify(runtime?.['components'])).toContain(String(process.versions['webkit']))
  })

  test('names the program, its addresses and the time of the commit, and leaves out what is unknown', () => {
    expect(bill['metadata']).toMatchObject({
      timestamp: new Date(1_795_000_000_000).toISOString(),
      component: {
        type: 'application',
        name: 'tollgate',
        version: VERSION,
        externalReferences: [
          { type: 'vcs', url: 'https://github.com/example/tollgate' },
          { type: 'issue-tracker', url: 'https://github.com/example/tollgate/issues' },
          { type: 'security-contact', url: 'mailto:security@example.com' },
        ],
      },
    })
    const unknown = billOfMaterials(ROOT, UNKNOWN, 0)
    expect(objectOf(objectOf(unknown, 'metadata'), 'component')).toMatchObject({ externalReferences: [] })
  })

  test('depends on nothing that it does not list', () => {
    const listed = new Set([`tollgate@${VERSION}`, ...bill.components.map((one) => one['bom-ref'])])
    const dependencies = bill['dependencies'] as readonly { ref: string; dependsOn: readonly string[] }[]
    const all = dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn])
    expect(all.length).toBeGreaterThan(listed.size)
    expect(all.filter((one) => !listed.has(one))).toEqual([])
  })
})

describe('the licenses of third parties', () => {
  const planted = (license: string): BillOfMaterials => ({
    components: [{ 'bom-ref': 'planted@1.0.0', type: 'library', name: 'planted', version: '1.0.0', license }],
  })

  async function plant(license: string, files: Readonly<Record<string, string>>): Promise<string> {
    const root = await mkdtemp(join(folder, 'planted-'))
    const place = join(root, 'node_modules/planted')
    await mkdir(place, { recursive: true })
    const author = { name: 'A. Author' }
    await writeFile(join(place, 'package.json'), JSON.stringify({ license, author }))
    for (const [name, text] of Object.entries(files)) await writeFile(join(place, name), text)
    return root
  }

  test('have each package of the bill with its version and a text', () => {
    const bill = readObject(first, `tollgate-${VERSION}.cdx.json`) as BillOfMaterials
    const text = readFileSync(join(first, 'THIRD-PARTY-LICENSES.md'), 'utf8')
    expect(bill.components.length).toBeGreaterThan(20)
    for (const { name, version } of bill.components)
      expect(text.split(`## ${name} ${version}\n\n`)[1] ?? '').toMatch(
        /^(?:````text\n\s*\S{3}|Bun has the license MIT)/,
      )
    expect(text).toContain('GNU LESSER GENERAL PUBLIC LICENSE')
  })

  test('repeat the texts of a package, or name its author where it has none', async () => {
    const own = thirdPartyLicenses(
      await plant('ISC', { LICENSE: 'Own text', NOTICE: 'A notice' }),
      planted('ISC'),
    )
    expect(own).toContain('````text\nOwn text\n\nA notice\n````')
    expect(thirdPartyLicenses(await plant('MIT', {}), planted('MIT'))).toContain(
      'Copyright (c) A. Author\n\nPermission is hereby granted',
    )
  })

  test('fail where a text is missing that cannot be known', async () => {
    const root = await plant('BSD-3-Clause', {})
    expect(() => thirdPartyLicenses(root, planted('BSD-3-Clause'))).toThrow(
      'planted has no text of its license, BSD-3-Clause',
    )
  })
})

test('the text of the tag is the summary of the version', () => {
  expect(readFileSync(join(first, 'TAG.txt'), 'utf8')).toStartWith(`Tollgate ${VERSION}\n\n`)
})
