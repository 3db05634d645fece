import { join } from 'node:path'
import type { MockStats } from '../mockProvider.ts'
import { type Target, end } from './target.ts'

export interface Mock extends Target {
  stats(): Promise<MockStats>
}

/** The mock provider in a process of its own; as a target it is the direct way. */
export async function startMock(): Promise<Mock> {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, '../mockProvider.ts')], {
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const first = await child.stdout.getReader().read()
  const port = Number(new TextDecoder().decode(first.value))
  return {
    name: 'direct',
    pid: child.pid,
    to: { port, key: 'none' },
    modelFor: (spec) => spec,
    stats: async () => (await fetch(`http://127.0.0.1:${port}/stats`)).json() as Promise<MockStats>,
    stop: () => end(child),
  }
}
