import type { Destination } from '../load/callRequest.ts'

/** A way to the provider: none, a plain proxy, the gateway, or another version of it. */
export interface Target {
  readonly name: 'direct' | 'nginx' | 'before' | 'tollgate'
  readonly pid: number
  readonly to: Destination
  /** The model to ask for, so that the mock answers by this spec. */
  modelFor(spec: string): string
  stop(): Promise<void>
}

const READY_WITHIN_MS = 15_000

/** Waits until something listens on a port. */
export async function listening(port: number): Promise<void> {
  const until = performance.now() + READY_WITHIN_MS
  for (;;) {
    try {
      const socket = await Bun.connect({ hostname: '127.0.0.1', port, socket: { data: () => undefined } })
      socket.end()
      return
    } catch (error) {
      if (performance.now() > until) throw error
    }
    await Bun.sleep(20)
  }
}

/** A port that is free now. */
export function freePort(): number {
  const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => undefined } })
  const { port } = server
  server.stop(true)
  return port
}

/** Ends a process that the benchmark started, and waits for it. */
export async function end(child: Bun.Subprocess): Promise<void> {
  child.kill('SIGTERM')
  await Promise.race([child.exited, Bun.sleep(5_000)])
  if (child.exitCode === null) child.kill('SIGKILL')
}
