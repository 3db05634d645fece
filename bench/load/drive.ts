import { CallerConnection } from './callerConnection.ts'
import { type Asked, type Destination, callRequest } from './callRequest.ts'
import { Tally } from './tally.ts'

/** Calls in flight, at most. Beyond it an open loop gives up: the target is overwhelmed. */
const OPEN_LOOP_CONNECTIONS_MAX = 512

export interface Calls extends Asked {
  readonly to: Destination
}

/** Closed loop: so many callers, each sending its next call when it has its answer. For CPU per request, not for latency. */
export async function closedLoop(calls: Calls, callers: number, ms: number): Promise<Tally> {
  const tally = new Tally()
  const request = callRequest(calls.to, calls)
  const connections = await open(calls, callers, tally)
  const until = performance.now() + ms
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < until) await connection.call(request, performance.now())
      connection.close()
    }),
  )
  return tally
}

/** So many callers at the same time, each with one call. @param overMs the time their starts are spread over */
export async function wave(calls: Calls, callers: number, overMs: number): Promise<Tally> {
  const tally = new Tally()
  const request = callRequest(calls.to, calls)
  const connections = await open(calls, callers, tally)
  await Promise.all(
    connections.map(async (connection, position) => {
      if (overMs > 0) await Bun.sleep((position * overMs) / callers)
      await connection.call(request, performance.now())
      connection.close()
    }),
  )
  return tally
}

/** Open loop: a schedule that does not wait for responses, so that a stall is felt by every call it delays. */
export async function openLoop(calls: Calls, perSecond: number, ms: number): Promise<Tally> {
  const tally = new Tally()
  const request = callRequest(calls.to, calls)
  const idle = await open(calls, 16, tally)
  const inFlight = new Set<Promise<void>>()
  const startedAt = performance.now()
  const total = Math.floor((ms / 1000) * perSecond)

  async function send(intendedAt: number): Promise<void> {
    const connection = idle.pop() ?? (await CallerConnection.open(calls.to.port, tally))
    await connection.call(request, intendedAt)
    idle.push(connection)
  }

  for (let sent = 0; sent < total;) {
    const due = Math.min(total, Math.floor(((performance.now() - startedAt) / 1000) * perSecond) + 1)
    for (; sent < due; sent++) {
      if (inFlight.size >= OPEN_LOOP_CONNECTIONS_MAX)
        throw new Error(`cannot take ${perSecond} calls a second`)
      const call = send(startedAt + (sent * 1000) / perSecond)
      inFlight.add(call)
      void call.finally(() => inFlight.delete(call))
    }
    await Bun.sleep(1)
  }
  await Promise.all(inFlight)
  for (const connection of idle) connection.close()
  return tally
}

function open(calls: Calls, callers: number, tally: Tally): Promise<CallerConnection[]> {
  return Promise.all(Array.from({ length: callers }, () => CallerConnection.open(calls.to.port, tally)))
}
