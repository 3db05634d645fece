import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endsWithParent } from '../support/endsWithParent.ts'

const DEPLOY = join(import.meta.dir, '../../deploy')

/** A reverse proxy that runs as the file in `deploy/` says, without TLS. */
export interface Proxy extends AsyncDisposable {
  readonly url: string
}

/** A proxy of which `deploy/` has a file. */
export interface ProxyKind {
  readonly name: 'nginx' | 'Caddy' | 'haproxy'
  /** Its program. */
  readonly program: string
  /** Whether the next process gets a call that one has refused, or that a killed one does not take. */
  readonly repeats: boolean
  /** The largest body that is sent to it under load, in bytes. */
  readonly bodyBytes: number
  /** `server` of the processes behind it: a proxy that does not repeat needs a delay in which it asks `/readyz`. */
  readonly server: Readonly<Record<string, string>>
  /** Starts it in front of these addresses (`127.0.0.1:4100`); resolves when it answers. */
  readonly start: (port: number, gateways: readonly string[]) => Promise<Proxy>
}

export const PROXIES: readonly ProxyKind[] = [
  {
    name: 'nginx',
    program: 'nginx',
    repeats: true,
    bodyBytes: 200_000,
    server: {},
    start: (port, gateways) =>
      startProxy(port, 'nginx.conf', async (folder, file) => {
        const site = replaced(file, [
          ['listen 443 ssl;', `listen 127.0.0.1:${port};`],
          [/ *ssl_certificate.*\n/g, ''],
          [
            '    server 127.0.0.1:4100 max_fails=0;\n',
            gateways.map((address) => `    server ${address} max_fails=0;\n`).join(''),
          ],
        ])
        const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
          .map((name) => `${name}_temp_path ${folder}/${name};`)
          .join('\n')
        const user = process.getuid?.() === 0 ? 'user root;\n' : ''
        await writeFile(
          join(folder, 'all.conf'),
          `${user}daemon off;\nmaster_process off;\npid ${folder}/pid;\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${site}\n}\n`,
        )
        return ['nginx', '-c', join(folder, 'all.conf')]
      }),
  },
  {
    name: 'Caddy',
    program: 'caddy',
    repeats: false,
    bodyBytes: 200_000,
    server: { shutdown_delay: '4s' },
    start: (port, gateways) =>
      startProxy(port, 'Caddyfile', async (folder, file) => {
        const site = replaced(file, [
          ['gateway.example.com {', `http://127.0.0.1:${port} {`],
          ['reverse_proxy 127.0.0.1:4100 {', `reverse_proxy ${gateways.join(' ')} {`],
        ])
        const path = join(folder, 'Caddyfile')
        await writeFile(path, `{\n\tadmin off\n\tauto_https off\n}\n${site}`)
        return ['caddy', 'run', '--adapter', 'caddyfile', '--config', path]
      }),
  },
  {
    name: 'haproxy',
    program: 'haproxy',
    repeats: true,
    // It repeats what fits into tune.bufsize.
    bodyBytes: 60_000,
    server: {},
    start: (port, gateways) =>
      startProxy(port, 'haproxy.cfg', async (folder, file) => {
        const all = replaced(file, [
          [/bind :443 ssl .*/, `bind 127.0.0.1:${port}`],
          [/^ +(?:user|group|log|option httplog)\b.*\n/gm, ''],
          [
            '    server one 127.0.0.1:4100\n',
            gateways.map((address, i) => `    server process${i} ${address}\n`).join(''),
          ],
        ])
        const path = join(folder, 'haproxy.cfg')
        await writeFile(path, all)
        return ['haproxy', '-db', '-f', path]
      }),
  },
]

/** @param prepare writes its configuration into the folder, and gives its command line */
async function startProxy(
  port: number,
  name: string,
  prepare: (folder: string, file: string) => Promise<string[]>,
): Promise<Proxy> {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-proxy-'))
  const command = await prepare(folder, await readFile(join(DEPLOY, name), 'utf8'))
  const child = Bun.spawn(endsWithParent(...command), {
    cwd: folder,
    env: { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin`, HOME: folder },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const said = new Response(child.stderr).text()
  const url = `http://127.0.0.1:${port}`
  while (!(await answers(`${url}/metrics`))) {
    if (child.exitCode !== null) throw new Error(`${command[0]} ended: ${await said}`)
    await Bun.sleep(20)
  }
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await child.exited
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  )
}

/** Throws where the file does not hold what is to be replaced: the test would try another one than operators have. */
function replaced(file: string, changes: readonly (readonly [string | RegExp, string])[]): string {
  let text = file
  for (const [what, by] of changes) {
    const next = text.replace(what, by)
    if (next === text) throw new Error(`there is no ${String(what)} in:\n${file}`)
    text = next
  }
  return text
}
