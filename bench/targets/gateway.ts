import { join } from 'node:path'
import { type MockFormat, parseSpec } from '../mock/spec.ts'
import { type Target, end, freePort, listening } from './target.ts'

export interface GatewayTarget extends Target {
  readonly name: 'tollgate' | 'before'
  /** How many calls its books know, and what is still held. */
  books(): Promise<{ requests: number; heldUsd: string }>
}

export interface GatewayOptions {
  readonly name: GatewayTarget['name']
  readonly program: string
  readonly mockPort: number
  /** Where its configuration and database are made; must not have those of another. */
  readonly folder: string
  /** The mock's specs that will be asked for: a model each. */
  readonly specs: readonly string[]
  /** Runs it under the CPU profiler; the profile lands in the folder when it ends. */
  readonly profile: boolean
}

const ADMIN_TOKEN = 'bench-admin-token-0123456789'
const LIMIT = 1_000_000_000
const root = join(import.meta.dir, '../..')

const WIRES: Readonly<Record<MockFormat, string>> = {
  chat: 'openai-chat',
  messages: 'anthropic-messages',
  responses: 'openai-responses',
}

/** The real command with everything on: SQLite, authentication, all kinds of limits, holds, charges, usage records. */
export async function startGateway(options: GatewayOptions): Promise<GatewayTarget> {
  const { folder } = options
  const port = freePort()
  const config = join(folder, 'tollgate.yaml')
  await Bun.write(config, configuration(port, options))
  const command = options.profile
    ? [
        'bin/bun',
        '--cpu-prof',
        '--cpu-prof-interval',
        '250',
        '--cpu-prof-dir',
        folder,
        'src/main.ts',
        'serve',
        '--config',
        config,
      ]
    : [options.program, 'serve', '--config', config]
  const child = Bun.spawn(command, { cwd: root, stdout: 'ignore', stderr: 'inherit' })
  await listening(port)

  const workspace = await admin<{ id: string }>(port, 'POST', '/workspaces', {
    name: 'bench',
    type: 'organization',
    requests_per_minute: LIMIT,
  })
  await admin(port, 'POST', `/workspaces/${workspace.id}/credits`, { amount_usd: '1000000' })
  const key = await admin<{ key: string }>(port, 'POST', `/workspaces/${workspace.id}/keys`, {
    name: 'bench',
    requests_per_minute: LIMIT,
    requests_per_day: LIMIT,
    concurrent_requests: LIMIT,
    monthly_spend_usd: '1000000',
  })
  return {
    name: options.name,
    pid: child.pid,
    to: { port, key: key.key },
    modelFor: (spec) => `bench/${options.specs.indexOf(spec)}`,
    async books() {
      const usage = await admin<{ total: { requests: number } }>(port, 'GET', '/usage?group_by=day')
      const { held_usd: heldUsd } = await admin<{ held_usd: string }>(
        port,
        'GET',
        `/workspaces/${workspace.id}`,
      )
      return { requests: usage.total.requests, heldUsd }
    },
    stop: () => end(child),
  }
}

async function admin<Answer>(port: number, method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/admin${path}`, {
    method,
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Answer
}

function configuration(port: number, { mockPort, folder, specs }: GatewayOptions): string {
  const models = specs.map((spec, position) => ({
    id: `bench/${position}`,
    context_length: 128_000,
    max_output_tokens: 8_192,
    our_price: { input: 0.5, output: 1.5 },
    targets: [{ provider: parseSpec(spec).format, model: spec }],
  }))
  const formats = new Set(specs.map((spec) => parseSpec(spec).format))
  const mock = { base_url: `http://127.0.0.1:${mockPort}/v1`, api_key: 'mock-key' }
  // JSON is YAML too.
  return JSON.stringify({
    server: { host: '127.0.0.1', port, admin_token: ADMIN_TOKEN },
    database: `sqlite:${join(folder, 'tollgate.db')}`,
    log: { level: 'warn' },
    // Only what is used: an earlier version may not know the others.
    providers: Object.fromEntries([...formats].map((format) => [format, { ...mock, wire: WIRES[format] }])),
    models,
  })
}
