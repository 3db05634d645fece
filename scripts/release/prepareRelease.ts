import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RECORD_ENDING } from '../oneFile.ts'
import { checksumsOf, packArchive } from './archive.ts'
import { billOfMaterials } from './billOfMaterials.ts'
import { tagText } from './changelog.ts'
import { outputOf } from './commands.ts'
import { thirdPartyLicenses } from './licenses.ts'
import { packPackage } from './npmPackage.ts'
import type { Publication } from './publication.ts'

export const CHECKSUMS = 'SHA256SUMS'
export const TAG_TEXT = 'TAG.txt'

export interface ReleaseContent {
  /** The folder of the repository. */
  readonly root: string
  readonly version: string
  /** The built program, for the system and processor of this machine. The record of its build is beside it. */
  readonly program: string
  readonly publication: Publication
}

/**
 * Writes the files of a release into a folder, which is emptied before.
 * @returns the names of those that are published
 */
export async function prepareRelease(folder: string, content: ReleaseContent): Promise<readonly string[]> {
  const { root, version, program, publication } = content
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  // The time of the commit, so that the same commit gives the same files.
  const time = Number(outputOf(root, 'git', 'log', '-1', '--format=%ct'))
  const bill = billOfMaterials(root, publication, time)
  const licenses = thirdPartyLicenses(root, bill)
  const billFile = `tollgate-${version}.cdx.json`
  await writeFile(join(folder, billFile), `${JSON.stringify(bill, null, 2)}\n`)
  await writeFile(join(folder, 'THIRD-PARTY-LICENSES.md'), licenses)
  const name = `tollgate-${version}-${process.platform}-${process.arch}`
  const archive = await packArchive(folder, name, { root, program, licenses, publication, modifiedAt: time })
  const tarball = await packPackage(root, folder, publication)
  const record = `${name}${RECORD_ENDING}`
  await copyFile(program + RECORD_ENDING, join(folder, record))
  const files = [archive, record, tarball, billFile, 'THIRD-PARTY-LICENSES.md']
  await writeFile(join(folder, CHECKSUMS), await checksumsOf(folder, files))
  const changelog = await readFile(join(root, 'CHANGELOG.md'), 'utf8')
  await writeFile(join(folder, TAG_TEXT), tagText(changelog, version))
  return [...files, CHECKSUMS]
}
