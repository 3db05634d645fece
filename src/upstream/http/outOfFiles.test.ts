import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { skipFor } from '../../../test/support/runEvents.ts'

/** In a process of its own: it may open few files, opens all of them, tries to connect, and gives them back. */
const SCRIPT = `
  import { closeSync, openSync } from 'node:fs'
  import { isOutOfFiles } from '${join(import.meta.dir, 'outOfFiles.ts')}'
  const before = isOutOfFiles()
  const open = []
  try { for (;;) open.push(openSync('/dev/null', 'r')) } catch {}
  const meanwhile = isOutOfFiles()
  for (const file of open) closeSync(file)
  console.log(JSON.stringify([before, meanwhile, isOutOfFiles()]))
`

test('a process that may open no more files knows it, and no longer than that', async () => {
  const child = Bun.spawn(['sh', '-c', 'ulimit -n 256; exec "$0" -e "$1"', process.execPath, SCRIPT], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  expect(await new Response(child.stdout).json()).toEqual([false, true, false])
})

/** In a network of its own with six local ports: twelve calls to a server that never answers. */
const CALLS_SCRIPT = `
  import { createHttpClient } from '${join(import.meta.dir, 'client.ts')}'
  const server = Bun.listen({ hostname: '127.0.0.1', port: 40000, socket: { data() {} } })
  const client = createHttpClient({ monotonic: () => performance.now() })
  const timeouts = { connectMs: 5_000, firstEventMs: 500, idleMs: 5_000, totalMs: 5_000 }
  const url = new URL('http://127.0.0.1:40000/')
  const calls = Array.from({ length: 12 }, () =>
    client.request({ method: 'POST', url, headers: {}, body: '{}', timeouts }).catch(({ failure }) => failure.code))
  console.log(JSON.stringify(await Promise.all(calls)))
  process.exit(0)
`
const FEW_PORTS =
  'ip link set lo up && echo "50000 50005" > /proc/sys/net/ipv4/ip_local_port_range && exec "$0" -e "$1"'

const hasOwnNetwork =
  Bun.which('unshare') !== null && Bun.spawnSync(['unshare', '-rn', 'ip', 'link', 'set', 'lo', 'up']).success
const skipsPorts = skipFor(
  hasOwnNetwork ? undefined : 'a process without free local ports: unshare -rn is not possible here',
)

test.skipIf(skipsPorts)(
  'a connection for which no local port is free is no failure of the provider',
  async () => {
    const child = Bun.spawn(['unshare', '-rn', 'sh', '-c', FEW_PORTS, process.execPath, CALLS_SCRIPT], {
      stdout: 'pipe',
      stderr: 'inherit',
    })
    const codes = (await new Response(child.stdout).json()) as string[]
    expect(new Set(codes)).toEqual(new Set(['first_event_timeout', 'out_of_ports']))
  },
)
