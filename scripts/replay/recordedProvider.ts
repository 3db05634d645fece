import { isJsonObject, type JsonObject, parseJson } from '../../src/core/json.ts'
import type { WireFormatId } from '../../src/wire/formats.ts'
import { answerIn } from './asOtherFormat.ts'
import type { RecordedAnswer, RecordedCall } from './recordedCall.ts'

/** A provider that answers the bytes of recordings, each at an address of its own. */
export interface RecordedProvider {
  /** The base address of one play of a recording. */
  baseUrlOf(play: number): string
  /** What it was last sent in this play; undefined: nothing. */
  receivedBy(play: number): JsonObject | undefined
  stop(): void
}

const ADDRESS = /^\/play\/(\d+)\//

/** @param format of its answers. Default: that in which each was recorded, byte for byte. */
export function startRecordedProvider(
  callOf: (play: number) => RecordedCall,
  format?: WireFormatId,
): RecordedProvider {
  const received = new Map<number, JsonObject>()
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      const play = Number(ADDRESS.exec(pathname)?.[1] ?? Number.NaN)
      const body = parseJson(await request.text())
      if (isJsonObject(body)) received.set(play, body)
      const call = callOf(play)
      const path = pathname.replace(/^\/play\/\d+/, '')
      if (format && call.status < 400 && isJsonObject(body)) return answerIn(format, call, { path, body })
      const { status, answer } = call
      const type = answer.kind === 'whole' ? 'application/json' : 'text/event-stream'
      return new Response(bytesOf(answer), { status, headers: { 'content-type': type } })
    },
  })
  return {
    baseUrlOf: (play) => `http://127.0.0.1:${server.port}/play/${play}/v1`,
    receivedBy: (play) => received.get(play),
    stop: () => void server.stop(true),
  }
}

/** An answer as it goes over the wire. */
function bytesOf(answer: RecordedAnswer): string {
  if (answer.kind === 'whole') return JSON.stringify(answer.body)
  const frames = answer.events.map((event) => {
    if ('comment' in event) return `: ${event.comment}\n\n`
    const data = typeof event.data === 'string' ? event.data : JSON.stringify(event.data)
    return `${event.event === undefined ? '' : `event: ${event.event}\n`}data: ${data}\n\n`
  })
  return frames.join('')
}
