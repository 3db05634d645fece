import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildOneFile } from '../../scripts/oneFile.ts'
import { outputOf } from '../../scripts/release/commands.ts'
import { readObject } from '../../scripts/release/objects.ts'
import { prepareRelease } from '../../scripts/release/prepareRelease.ts'
import { readPublication } from '../../scripts/release/publication.ts'
import { version } from '../../src/program.ts'
import { PROGRAM } from '../support/program.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'

const ROOT = join(import.meta.dir, '../..')
const NAME = `tollgate-${version}-${process.platform}-${process.arch}`

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-delivered-'))
  await prepareRelease(folder, {
    root: ROOT,
    version,
    program: PROGRAM,
    publication: readPublication('', ''),
  })
}, TEST_LIMIT_MS)
afterAll(() => rm(folder, { recursive: true, force: true }))

test(
  'built again of the same commit with the record that is beside it, the program has the same bytes',
  async () => {
    const again = join(folder, 'again/tollgate')
    await buildOneFile(again, `${folder}/${NAME}.order`)
    expect(sha256Of(again)).toBe(sha256Of(PROGRAM))
  },
  TEST_LIMIT_MS,
)

test('a package of an unknown publisher has no address, and no line where one would be', () => {
  outputOf(folder, 'tar', '-xzf', `tollgate-${version}.tgz`)
  expect(readObject(join(folder, 'package'), 'package.json')).toEqual(readObject(ROOT, 'package.json'))
  const security = readFileSync(join(folder, 'package/SECURITY.md'), 'utf8')
  expect(security).not.toMatch(/Contact for this release|security contact:/)
})

test(
  'what an operator downloads passes its checksums, and the program in it runs as it is unpacked',
  () => {
    expect(outputOf(folder, 'sha256sum', '-c', 'SHA256SUMS')).toContain(`${NAME}.tar.gz: OK`)
    outputOf(folder, 'tar', '-xzf', `${NAME}.tar.gz`)
    const place = join(folder, NAME)
    expect(outputOf(place, './tollgate', 'version')).toStartWith(`tollgate ${version}`)
    expect(existsSync(join(place, 'THIRD-PARTY-LICENSES.md'))).toBe(true)
  },
  TEST_LIMIT_MS,
)

function sha256Of(file: string): string {
  return new Bun.CryptoHasher('sha256').update(readFileSync(file)).digest('hex')
}
