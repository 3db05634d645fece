import { chmod, copyFile, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { outputOf } from './commands.ts'
import { type Publication, withContact } from './publication.ts'

/** What lies beside the program: its license, and what README.md leads to. */
const BESIDE: readonly string[] = [
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'LICENSE',
  'README.md',
  'deploy',
  'docs',
  'tollgate.example.yaml',
]

export interface ArchiveContent {
  /** The folder of the repository. */
  readonly root: string
  /** The built program. */
  readonly program: string
  /** The licenses of third parties, as a page. */
  readonly licenses: string
  readonly publication: Publication
  /** The time of every file inside, in seconds since 1970. */
  readonly modifiedAt: number
}

/**
 * Writes `NAME.tar.gz` into the folder: one folder `NAME`, which holds the program and what lies beside it. Order, times, owners and modes
 * are fixed, so the same content gives the same bytes. It needs GNU tar and gzip.
 * @returns the name of the file
 */
export async function packArchive(folder: string, name: string, content: ArchiveContent): Promise<string> {
  const { root, program, licenses, publication, modifiedAt } = content
  const staging = await mkdtemp(join(tmpdir(), 'tollgate-archive-'))
  try {
    const inside = join(staging, name)
    await mkdir(inside)
    await copyFile(program, join(inside, 'tollgate'))
    await chmod(join(inside, 'tollgate'), 0o755)
    for (const path of BESIDE) await cp(join(root, path), join(inside, path), { recursive: true })
    await writeFile(join(inside, 'THIRD-PARTY-LICENSES.md'), licenses)
    const security = withContact(await readFile(join(root, 'SECURITY.md'), 'utf8'), publication)
    await writeFile(join(inside, 'SECURITY.md'), security)
    const file = `${name}.tar.gz`
    const fixed = ['--sort=name', `--mtime=@${modifiedAt}`, '--owner=0', '--group=0', '--numeric-owner']
    // Without -n the header would have the time of the compression.
    const format = ['--format=ustar', '--mode=u=rwX,go=rX', '--use-compress-program=gzip -n']
    outputOf(staging, 'tar', ...fixed, ...format, '-cf', join(folder, file), name)
    return file
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

/** The text of `SHA256SUMS`, which `sha256sum -c` reads beside the files. */
export async function checksumsOf(folder: string, files: readonly string[]): Promise<string> {
  const lines = files.toSorted().map(async (file) => {
    const hash = new Bun.CryptoHasher('sha256')
    for await (const bytes of Bun.file(join(folder, file)).stream()) hash.update(bytes)
    return `${hash.digest('hex')}  ${file}\n`
  })
  return (await Promise.all(lines)).join('')
}
