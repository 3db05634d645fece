import { readFileSync, readdirSync, readlinkSync } from 'node:fs'

/** The state of a listening socket in `/proc/net/tcp`. */
const LISTEN = '0A'

/**
 * Who listens on a TCP port of this machine, for a message: `process 4711 (nginx)`. Undefined where that cannot be
 * known: a process of another user, or a system without `/proc`.
 */
export function portOwner(port: number): string | undefined {
  const inodes = listeners(port)
  for (const pid of inodes.size === 0 ? [] : entries('/proc')) {
    if (!/^\d+$/.test(pid)) continue
    const holds = entries(`/proc/${pid}/fd`).some((fd) => {
      const inode = /^socket:\[(\d+)\]$/.exec(attempt(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) ?? '')?.[1]
      return inode !== undefined && inodes.has(inode)
    })
    if (holds) return `process ${pid}${nameOf(pid)}`
  }
  return undefined
}

/** The sockets that listen on it, by inode. */
function listeners(port: number): Set<string> {
  const inodes = new Set<string>()
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const lines =
      attempt(() => readFileSync(table, 'utf8'))
        ?.split('\n')
        .slice(1) ?? []
    for (const line of lines) {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/)
      if (state !== LISTEN || inode === undefined) continue
      if (Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16) === port) inodes.add(inode)
    }
  }
  return inodes
}

/** The program alone: arguments may hold secrets. */
function nameOf(pid: string): string {
  const [program = '', ...rest] =
    attempt(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))?.split('\0') ?? []
  const name = program.slice(program.lastIndexOf('/') + 1)
  // As the one file, or as the runtime with the sources.
  if (name === 'tollgate' || rest.some((argument) => argument.endsWith('/src/main.ts')))
    return ' (another tollgate)'
  return name === '' ? '' : ` (${name})`
}

function entries(folder: string): string[] {
  return attempt(() => readdirSync(folder)) ?? []
}

/** Processes end while one looks, and those of others may not be looked at: both are as if they were not there. */
function attempt<Result>(look: () => Result): Result | undefined {
  try {
    return look()
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}
