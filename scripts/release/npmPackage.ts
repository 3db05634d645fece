import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { outputOf } from './commands.ts'
import { readObject } from './objects.ts'
import { type Publication, packageFields, withContact } from './publication.ts'

/** What npm packs whether or not `files` of `package.json` names it. */
const ALWAYS_PACKED: readonly string[] = ['package.json', 'LICENSE']

/**
 * Packs what npm installs, with the addresses of the publisher in `package.json` and `SECURITY.md`. The files of the
 * repository stay as they are: the addresses are written into a copy.
 * @returns the name of the tarball in `folder`
 */
export async function packPackage(root: string, folder: string, publication: Publication): Promise<string> {
  const staging = await mkdtemp(join(tmpdir(), 'tollgate-npm-'))
  try {
    const fields = readObject(root, 'package.json')
    for (const path of [...ALWAYS_PACKED, ...packedPaths(root, fields['files'])])
      await cp(join(root, path), join(staging, path), { recursive: true })
    const published = { ...fields, ...packageFields(publication) }
    await writeFile(join(staging, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
    const security = join(staging, 'SECURITY.md')
    await writeFile(security, withContact(await readFile(security, 'utf8'), publication))
    const output = outputOf(
      staging,
      'npm',
      'pack',
      '--json',
      '--ignore-scripts',
      '--pack-destination',
      folder,
    )
    const [packed] = JSON.parse(output) as readonly { readonly filename: string }[]
    if (packed === undefined) throw new Error('npm packed nothing')
    return packed.filename
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

/** The paths that `files` includes. npm itself applies what it excludes (`!…`). */
function packedPaths(root: string, files: unknown): string[] {
  if (!Array.isArray(files)) throw new Error('package.json has no files')
  return files
    .map(String)
    .filter((pattern) => !pattern.startsWith('!'))
    .flatMap((pattern) =>
      pattern.endsWith('/') ? [pattern] : [...new Bun.Glob(pattern).scanSync({ cwd: root, dot: false })],
    )
}
