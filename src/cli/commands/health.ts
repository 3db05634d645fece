import type { Command } from '../command.ts'
import { gatewayAddress } from '../gatewayAddress.ts'
import { nonEmpty } from '../nonEmpty.ts'

const DEFAULT_PORT = '4100'
/** A gateway that takes longer is not well. */
const ANSWER_LIMIT_MS = 5_000

const health: Command = {
  name: 'health',
  summary: 'ask a running gateway if it lives, or if it can serve',
  positionals: [],
  options: {
    ready: { help: 'ask if it can serve (/readyz), not only if it lives (/healthz)' },
    url: {
      value: 'URL',
      help: 'where it is (TOLLGATE_URL; default http://127.0.0.1 with the port of TOLLGATE_PORT, or 4100)',
    },
  },
  notes:
    'For the health check of a container. It reads no configuration. Exit code 0: yes; 1: no, or no response in 5 s.',
  examples: ['tollgate health', 'tollgate health --ready --url http://127.0.0.1:8080'],
  run: async (context) => {
    const port = nonEmpty(context.io.env['TOLLGATE_PORT']) ?? DEFAULT_PORT
    const base = gatewayAddress(context.remoteUrl ?? `http://127.0.0.1:${port}`)
    const asked = `${base}/${context.isOn('ready') ? 'readyz' : 'healthz'}`
    const problem = await problemOf(context.deps.fetch, asked)
    context.show({ ok: problem === null, url: asked, problem }, () =>
      problem === null ? `${asked}: ok\n` : `${asked}: ${problem}\n`,
    )
    return problem === null ? 0 : 1
  },
}

/** What is wrong with an answer; null: nothing. */
async function problemOf(
  fetch: (request: Request) => Promise<Response>,
  url: string,
): Promise<string | null> {
  try {
    const response = await fetch(new Request(url, { signal: AbortSignal.timeout(ANSWER_LIMIT_MS) }))
    await response.body?.cancel()
    return response.ok ? null : `status ${response.status}`
  } catch (error) {
    if (error instanceof DOMException && error.name === 'TimeoutError') return 'no response in time'
    return error instanceof Error ? error.message : String(error)
  }
}

export const healthCommands = [health]
