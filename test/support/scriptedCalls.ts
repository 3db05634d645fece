import { afterEach } from 'bun:test'
import type { TLSOptions } from 'bun'
import { UpstreamError, type UpstreamFailure } from '../../src/core/failure.ts'
import {
  type HttpClientOptions,
  type SocketHttpClient,
  createHttpClient,
} from '../../src/upstream/http/client.ts'
import { collectBody } from '../../src/upstream/http/collectBody.ts'
import type { HttpRequest, HttpResponse, Timeouts } from '../../src/upstream/http.ts'
import { type Script, type ScriptedProvider, startScriptedProvider } from './scriptedProvider.ts'

/** Timeouts that no test waits for. */
export const PATIENT: Timeouts = { connectMs: 30_000, firstEventMs: 30_000, idleMs: 30_000, totalMs: 300_000 }
/** A body that a test collects is no longer than this. */
export const COLLECT_BYTES_MAX = 1 << 20

/** One client and one scripted provider per test; both are gone after it. */
export interface ScriptedCalls {
  /** Starts them; to be called first in each test. */
  play(script: Script, options?: Partial<HttpClientOptions> & { readonly tls?: TLSOptions }): Promise<void>
  readonly provider: ScriptedProvider
  readonly client: SocketHttpClient
  /** Posts `{}` to the provider unless told otherwise. */
  post(more?: Partial<HttpRequest>): Promise<HttpResponse>
  get(): Promise<HttpResponse>
}

/** To be called once per test file. */
export function scriptedCalls(): ScriptedCalls {
  let current: { provider: ScriptedProvider; client: SocketHttpClient } | undefined
  afterEach(() => {
    current?.client.close()
    current?.provider.stop()
    current = undefined
  })

  function started(): NonNullable<typeof current> {
    if (current === undefined) throw new Error('play() comes first')
    return current
  }

  return {
    async play(script, { tls, ...options } = {}) {
      current = {
        provider: await startScriptedProvider(script, { ...(tls && { tls }) }),
        client: createHttpClient({ monotonic: () => performance.now(), ...options }),
      }
    },
    get provider() {
      return started().provider
    },
    get client() {
      return started().client
    },
    post(more = {}) {
      const { client, provider } = started()
      const url = new URL(`${provider.baseUrl}/chat/completions`)
      return client.request({ method: 'POST', url, headers: {}, body: '{}', timeouts: PATIENT, ...more })
    },
    get() {
      const { client, provider } = started()
      return client.request({ method: 'GET', url: new URL(provider.origin), headers: {}, timeouts: PATIENT })
    },
  }
}

/** The whole body of an answer as text. */
export async function textOf(response: HttpResponse | Promise<HttpResponse>): Promise<string> {
  const limits = { bytesMax: COLLECT_BYTES_MAX, totalMs: PATIENT.idleMs }
  return new TextDecoder().decode(await collectBody(await response, limits))
}

/** How a call failed; throws when it did not, or failed as no upstream does. */
export async function failureOf(call: Promise<unknown>): Promise<UpstreamFailure> {
  const outcome = await call.then(
    () => 'no failure',
    (error: unknown) => error,
  )
  if (outcome instanceof UpstreamError) return outcome.failure
  throw new Error(`not an UpstreamError: ${String(outcome)}`)
}

/** Reads a body piece by piece, and tells what it has and how it ended. */
export function reading(response: HttpResponse): {
  readonly text: () => string
  readonly over: Promise<'end' | UpstreamError>
} {
  let text = ''
  const decoder = new TextDecoder()
  const over = new Promise<'end' | UpstreamError>((resolve) =>
    response.consume({
      data: (bytes) => void (text += decoder.decode(bytes, { stream: true })),
      end: () => resolve('end'),
      fail: resolve,
    }),
  )
  return { text: () => text, over }
}
