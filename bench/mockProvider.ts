/**
 * A provider that costs almost nothing, for measuring what is in front of it. Run as a process of its
 * own; it prints its port. `GET /stats` returns what it has answered.
 */
import type { Socket } from 'bun'
import { type StreamAnswer, respond, streamAnswer, wholeAnswer } from './mock/answers.ts'
import { streamMessage, wholeMessage } from './mock/messages.ts'
import { streamResponse, wholeResponse } from './mock/responses.ts'
import { MockStream } from './mock/mockStream.ts'
import { type MockSpec, parseSpec } from './mock/spec.ts'
import { Wheel } from './mock/wheel.ts'

export interface MockStats {
  /** Answered with a whole body. */
  whole: number
  /** Streams begun, ended whole, and left by the other side. */
  begun: number
  ended: number
  aborted: number
}

/** What one connection has sent so far, and the stream it gets. */
interface Line {
  text: string
  stream: MockStream | undefined
}

const stats: MockStats = { whole: 0, begun: 0, ended: 0, aborted: 0 }
const wheel = new Wheel()
const specs = new Map<string, MockSpec>()
const wholes = new Map<string, Buffer>()
const streams = new Map<string, StreamAnswer>()

const server = Bun.listen<Line>({
  hostname: '127.0.0.1',
  port: 0,
  socket: {
    open: (socket) => void (socket.data = { text: '', stream: undefined }),
    data: (socket, bytes) => receive(socket, bytes.toString('latin1')),
    drain: (socket) => socket.data.stream?.drain(),
    close(socket) {
      const { stream } = socket.data
      if (!stream) return
      stats.aborted++
      wheel.delete(stream)
    },
  },
})
console.log(server.port)

function receive(socket: Socket<Line>, text: string): void {
  const line = socket.data
  line.text += text
  const headEnd = line.text.indexOf('\r\n\r\n')
  if (headEnd === -1) return
  const head = line.text.slice(0, headEnd)
  const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0)
  if (line.text.length < headEnd + 4 + length) return
  const body = line.text.slice(headEnd + 4)
  line.text = ''
  if (head.startsWith('GET /stats'))
    socket.write(respond('200 OK', 'application/json', JSON.stringify(stats)))
  else answer(socket, head, body)
}

function answer(socket: Socket<Line>, head: string, body: string): void {
  const asked = /\r\nx-mock: *(.*)/i.exec(head)?.[1] ?? /"model":"([^"]*)"/.exec(body)?.[1] ?? ''
  const spec = remembered(specs, asked, () => parseSpec(asked))
  const [, path = ''] = /^POST (\S+)/.exec(head) ?? []
  if (!body.includes('"stream":true')) {
    stats.whole++
    const bytes = remembered(wholes, `${asked} ${path}`, () => wholeAt(path, spec))
    if (spec.ttft === 0) socket.write(bytes)
    else setTimeout(() => socket.write(bytes), spec.ttft)
    return
  }
  const includeUsage = body.includes('"include_usage":true')
  const pieces = remembered(streams, `${asked} ${path} ${includeUsage}`, () =>
    streamAt(path, spec, includeUsage),
  )
  stats.begun++
  const stream = new MockStream(socket, pieces, spec, () => {
    stats.ended++
    socket.data.stream = undefined
  })
  socket.data.stream = stream
  if (stream.delay === 0) stream.send()
  else wheel.add(stream, stream.delay)
}

function wholeAt(path: string, spec: MockSpec): Buffer {
  switch (path) {
    case '/v1/messages':
      return wholeMessage(spec)
    case '/v1/responses':
      return wholeResponse(spec)
    default:
      return wholeAnswer(spec)
  }
}

function streamAt(path: string, spec: MockSpec, includeUsage: boolean): StreamAnswer {
  switch (path) {
    case '/v1/messages':
      return streamMessage(spec)
    case '/v1/responses':
      return streamResponse(spec)
    default:
      return streamAnswer(spec, includeUsage)
  }
}

function remembered<Value>(cache: Map<string, Value>, key: string, make: () => Value): Value {
  let value = cache.get(key)
  if (value === undefined) cache.set(key, (value = make()))
  return value
}
