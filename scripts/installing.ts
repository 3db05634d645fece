import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const INSTALL_TIMEOUT_MS = 5 * 60_000

/** Whether it ended well; its errors are printed. */
export function run(command: string, arguments_: readonly string[]): boolean {
  const result = spawnSync(command, arguments_, {
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: INSTALL_TIMEOUT_MS,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
  return result.status === 0
}

/** Whether Debian's packages can be had here. */
export function hasDebian(): boolean {
  return process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')
}
