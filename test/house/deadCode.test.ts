import { expect, test } from 'bun:test'
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TEST_LIMIT_MS } from '../support/scale.ts'

const ROOT = join(import.meta.dir, '../..')

test(
  'an export that only tests use is found by the settings of the check for dead code, and so is one that nothing uses',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tollgate-dead-'))
    for (const name of ['knip.json', 'tsconfig.json']) await cp(join(ROOT, name), join(folder, name))
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    const files = {
      'package.json': '{ "name": "planted", "type": "module" }',
      'src/main.ts': "import { used } from './planted.ts'\nused()\n",
      'src/planted.ts':
        'export function used(): void {}\nexport function tested(): void {}\nexport function forgotten(): void {}\n',
      'src/planted.test.ts': "import { tested } from './planted.ts'\ntested()\n",
    }
    for (const [path, text] of Object.entries(files)) await Bun.write(join(folder, path), text)
    expect(await deadIn(folder)).toEqual(['forgotten'])
    expect(await deadIn(folder, '--production')).toEqual(['tested', 'forgotten'])
    await rm(folder, { recursive: true })
  },
  TEST_LIMIT_MS,
)

/** The exports that the check names. */
async function deadIn(folder: string, ...options: string[]): Promise<string[]> {
  const child = Bun.spawn(['node_modules/.bin/knip', '--reporter=json', '--include=exports', ...options], {
    cwd: folder,
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const report = (await child.stdout.json()) as { issues: { exports: { name: string }[] }[] }
  return report.issues.flatMap(({ exports }) => exports.map(({ name }) => name))
}
