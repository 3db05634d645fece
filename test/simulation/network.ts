import { AsyncLocalStorage } from 'node:async_hooks'
import { UpstreamError } from '../../src/core/failure.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../src/core/json.ts'
import {
  type BodySink,
  CallAborted,
  type HttpClient,
  type HttpRequest,
  type HttpResponse,
} from '../../src/upstream/http.ts'
import type { SeededRandom } from '../support/seededRandom.ts'
import type { VirtualTime } from './virtualTime.ts'
import { type Meaning, type ProviderScript, scriptFor } from './providerScript.ts'
import { SHOP } from './shop.ts'

/** What truly happened to one call to a provider. */
export interface UpstreamCall {
  /** The number of the caller's request. */
  readonly request: number
  readonly model: string
  readonly provider: string
  readonly stream: boolean
  /** The same object for all calls of one attempt, where an attempt makes several. */
  readonly attempt: unknown
  /** The provider may have worked on it. */
  sent: boolean
  status: number | undefined
  /** What the gateway was given, in order. */
  readonly delivered: Meaning[]
  /** The body came to its end in order. */
  whole: boolean
  /** The gateway let go of it. */
  aborted: boolean
}

/** The network of the simulated world: every provider behind it follows a script that the seed writes. */
export interface Network {
  /** The way out of one gateway process. `isAlive`: a dead process hears nothing more. */
  client(isAlive: () => boolean): HttpClient
  /** Runs what a caller's request does; calls to providers from within are its own. */
  during<Result>(request: number, run: () => Result): Result
  callsOf(request: number): readonly UpstreamCall[]
  readonly calls: number
}

export function createNetwork(random: SeededRandom, time: VirtualTime): Network {
  const calls = new Map<number, UpstreamCall[]>()
  const current = new AsyncLocalStorage<number>()
  let count = 0

  function open(request: HttpRequest): { call: UpstreamCall; script: ProviderScript } {
    const body = parseJson(String(request.body))
    if (!isJsonObject(body)) throw new Error('the gateway sent no JSON object')
    const number = current.getStore()
    const model = SHOP.find(({ id }) => id === body.model)
    if (!model || number === undefined) {
      throw new Error(`the gateway sent a strange request: ${String(request.body)}`)
    }
    const call: UpstreamCall = {
      request: number,
      model: model.id,
      provider: request.url.hostname.split('.')[0] ?? '',
      stream: body.stream === true,
      attempt: request.signal,
      sent: false,
      status: undefined,
      delivered: [],
      whole: false,
      aborted: false,
    }
    const earlier = calls.get(number) ?? []
    calls.set(number, [...earlier, call])
    count++
    const script = scriptFor(random.fork(`${number}.${earlier.length}`), askedFor(body), model)
    return { call, script }
  }

  return {
    client(isAlive) {
      const conversations = new Set<() => void>()
      return {
        request: (request) => answerOf({ ...open(request), request, time, isAlive, conversations }),
        close() {
          for (const close of conversations) close()
        },
      }
    },
    during: (request, run) => current.run(request, run),
    callsOf: (request) => calls.get(request) ?? [],
    get calls() {
      return count
    },
  }
}

function askedFor(body: JsonObject) {
  return {
    stream: body.stream === true,
    choices: typeof body.n === 'number' ? body.n : 1,
    promptCharacters: JSON.stringify(body.messages).length,
  }
}

interface Conversation {
  readonly call: UpstreamCall
  readonly script: ProviderScript
  readonly request: HttpRequest
  readonly time: VirtualTime
  readonly isAlive: () => boolean
  /** How to drop what is open, without a word to anybody. */
  readonly conversations: Set<() => void>
}

function answerOf({
  call,
  script,
  request,
  time,
  isAlive,
  conversations,
}: Conversation): Promise<HttpResponse> {
  const { timeouts, signal } = request
  return new Promise((resolve, reject) => {
    let closed = false
    let sink: BodySink | undefined
    let cancel: () => void = () => undefined
    let paused = false
    let firstSeen = false
    let turn: (() => void) | undefined

    const wait = (ms: number, then: () => void): void => {
      cancel = time.after(ms, () => {
        if (!closed && isAlive()) then()
      })
    }
    function fail(error: UpstreamError): void {
      if (closed) return
      close()
      if (sink) sink.fail(error)
      else reject(error)
    }
    function close(): void {
      closed = true
      conversations.delete(close)
      cancel()
      signal?.removeEventListener('abort', onAbort)
    }
    function onAbort(): void {
      call.aborted = true
      fail(new CallAborted())
    }
    function send(): void {
      call.sent = true
      request.onSent?.()
    }
    const lost = (detail: string): UpstreamError => new UpstreamError({ kind: 'connection', detail })
    const late = (detail: string): UpstreamError => new UpstreamError({ kind: 'timeout', detail })

    if (signal?.aborted) {
      onAbort()
      return
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    conversations.add(close)

    switch (script.kind) {
      case 'refuses_connection':
        wait(Math.min(script.afterMs, timeouts.connectMs), () => fail(lost('refused')))
        return
      case 'never_connects':
        wait(timeouts.connectMs, () => fail(late('connect')))
        return
      case 'drops':
        send()
        wait(Math.min(script.afterMs, timeouts.firstEventMs), () => fail(lost('dropped')))
        return
      case 'never_answers':
        send()
        wait(timeouts.firstEventMs, () => fail(late('first event')))
        return
      case 'answers':
        break
    }

    const answer = script
    send()
    wait(answer.afterMs, () => {
      call.status = answer.status
      resolve({
        status: answer.status,
        headers: answer.headers,
        consume(to) {
          sink = to
          deliver(0)
        },
        pause() {
          paused = true
        },
        resume() {
          paused = false
          const go = turn
          turn = undefined
          go?.()
        },
        firstEventSeen() {
          firstSeen = true
          signal?.removeEventListener('abort', onAbort)
        },
        spoken() {},
        abort() {
          call.aborted = true
          close()
        },
      })
    })

    function deliver(position: number): void {
      const piece = answer.pieces[position]
      const patience = firstSeen ? timeouts.idleMs : timeouts.firstEventMs
      if (!piece) {
        if (answer.ending === 'silence') wait(patience, () => fail(late('silence')))
        else wait(0, answer.ending === 'end' ? end : () => fail(lost('reset')))
        return
      }
      if (piece.afterMs > patience) {
        wait(patience, () => fail(late('idle')))
        return
      }
      wait(piece.afterMs, () => {
        const go = (): void => {
          if (closed || !isAlive()) return
          push(piece.text, piece.meanings)
          if (!closed) deliver(position + 1)
        }
        if (paused) turn = go
        else go()
      })
    }

    /** Bytes arrive in two reads that care for no event's bounds. */
    function push(text: string, meanings: readonly Meaning[]): void {
      const bytes = new TextEncoder().encode(text)
      const cut = bytes.length >> 1
      if (cut > 0) sink?.data(bytes.subarray(0, cut))
      if (closed) return
      // Before the bytes, for they may make the gateway let go.
      call.delivered.push(...meanings)
      sink?.data(bytes.subarray(cut))
    }

    function end(): void {
      if (closed) return
      call.whole = true
      close()
      sink?.end()
    }
  })
}
