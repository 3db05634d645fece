import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGBOUNCER_VARIABLE, findPgbouncer } from '../test/support/pgbouncer.ts'
import { hasDebian, run } from './installing.ts'

/**
 * Gets pgbouncer for the tests where the machine has none and the environment names none: unpacked from Debian's
 * packages, not installed, so that no service starts. Gives the environment that names it.
 */
export function providePgbouncer(): Record<string, string> {
  if (process.env[PGBOUNCER_VARIABLE] !== undefined) return {}
  if (!('reason' in findPgbouncer()) || !hasDebian()) return {}
  // Outside the checkout: a server that may not run as root must be able to read it.
  const folder = join(tmpdir(), 'tollgate-pgbouncer-of-debian')
  const program = join(folder, 'pgbouncer')
  if (!existsSync(program) && !unpackInto(folder)) return {}
  return { [PGBOUNCER_VARIABLE]: program }
}

/** With the libraries that the machine lacks. */
function unpackInto(folder: string): boolean {
  console.log('No pgbouncer here: getting it from Debian …')
  const making = `${folder}.${process.pid}`
  const packages = join(making, 'packages')
  const root = join(making, 'root')
  mkdirSync(join(packages, 'partial'), { recursive: true, mode: 0o755 })
  mkdirSync(root, { mode: 0o755 })
  const download = [
    'install',
    '-qy',
    '--no-install-recommends',
    '--download-only',
    '-o',
    `Dir::Cache::archives=${packages}`,
  ]
  const done =
    run('apt-get', ['update', '-q']) &&
    run('apt-get', [...download, 'pgbouncer']) &&
    readdirSync(packages)
      .filter((name) => name.endsWith('.deb'))
      .every((name) => run('dpkg-deb', ['--extract', join(packages, name), root]))
  if (done) {
    writeFileSync(join(making, 'pgbouncer'), LAUNCHER)
    chmodSync(join(making, 'pgbouncer'), 0o755)
    rmSync(packages, { recursive: true })
    // Of two runs at the same time the first one wins.
    if (!existsSync(folder)) renameSync(making, folder)
  }
  rmSync(making, { recursive: true, force: true })
  return done
}

/** Finds its libraries beside itself first. */
const LAUNCHER = `#!/bin/sh
root=\${0%/*}/root
libraries=$(echo "$root"/usr/lib/*-linux-gnu* "$root"/lib/*-linux-gnu* | tr ' ' ':')
LD_LIBRARY_PATH=$libraries exec "$root/usr/sbin/pgbouncer" "$@"
`
