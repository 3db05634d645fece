import { expect, test } from 'bun:test'
import { errorOf } from '../../support/readAnswer.ts'
import {
  close,
  comment,
  hang,
  inOrder,
  openaiChunk,
  pause,
  raw,
  refuse,
  reset,
  respond,
  startScriptedProvider,
  stream,
} from '../../support/scriptedProvider.ts'
import {
  INTERNAL_URL,
  PATIENT,
  PROVIDERS_HEADERS,
  PROVIDERS_WORDS,
  STREAMS,
  startMisbehaving,
  testMisbehaviours,
} from './misbehaviour.ts'

/** Long enough for what is not to time out on a busy machine, short enough to wait for. */
const SHORT = '400ms'
const TIMED_OUT = { code: 'upstream_error', ending: 'timeout', attempts: ['timeout'] } as const
const ROLE = openaiChunk({ role: 'assistant', content: '' })
const HELLO = openaiChunk({ content: 'Hello' })

testMisbehaviours([
  {
    provider: 'refuses the connection',
    act: hang(),
    acme: () => ({ base_url: `${refuse()}/v1` }),
    code: 'upstream_error',
    attempts: ['connection', 'connection'],
  },
  {
    provider: 'resets the connection before it reads anything',
    act: reset({ at: 'accept' }),
    code: 'upstream_error',
    attempts: ['connection', 'connection'],
  },
  {
    provider: 'resets the connection instead of an answer',
    act: reset(),
    code: 'upstream_error',
    attempts: ['connection', 'connection'],
  },
  {
    provider: 'closes the connection instead of an answer',
    act: close(),
    code: 'upstream_error',
    attempts: ['connection', 'connection'],
  },
  {
    provider: 'closes the connection within its headers',
    act: inOrder(raw(`HTTP/1.1 200 OK\r\nx-secret: ${PROVIDERS_WORDS}\r\n`), close()),
    code: 'upstream_error',
    attempts: ['connection', 'connection'],
  },
  {
    provider: 'resets the connection within a whole body',
    act: inOrder(raw('HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{"id":"x"'), reset()),
    modes: ['whole'],
    code: 'upstream_error',
    attempts: ['connection', 'connection'],
  },
  {
    provider: 'resets the connection after the headers of a stream',
    act: stream([reset()]),
    modes: STREAMS,
    code: 'upstream_error',
    attempts: ['connection', 'connection'],
  },
  {
    provider: 'resets the connection after the first event',
    act: stream([ROLE, pause(50), reset()]),
    modes: STREAMS,
    code: 'upstream_error',
    attempts: ['connection'],
    breaksOff: 'before its text',
  },
  {
    provider: 'resets the connection in mid-answer',
    act: stream([ROLE, HELLO, pause(50), reset()]),
    modes: STREAMS,
    code: 'upstream_error',
    attempts: ['connection'],
    breaksOff: 'in its text',
  },
  {
    provider: 'speaks no HTTP at all',
    act: raw(`SSH-2.0-${PROVIDERS_WORDS}\r\n\r\n`),
    code: 'upstream_error',
    attempts: ['invalid_answer'],
  },
])

testMisbehaviours([
  {
    // The TLS handshake belongs to connecting, and here is nobody to shake hands with.
    provider: 'never completes the connection',
    act: hang({ at: 'accept' }),
    acme: ({ port }) => ({
      base_url: `https://127.0.0.1:${port}/v1`,
      timeouts: { ...PATIENT, connect: SHORT },
    }),
    ...TIMED_OUT,
  },
  {
    provider: 'accepts and never reads',
    act: hang({ at: 'accept' }),
    acme: () => ({ timeouts: { ...PATIENT, first_event: SHORT, whole: SHORT } }),
    ...TIMED_OUT,
  },
  {
    provider: 'reads and never answers',
    act: hang(),
    acme: () => ({ timeouts: { ...PATIENT, first_event: SHORT, whole: SHORT } }),
    ...TIMED_OUT,
  },
  {
    provider: 'stops within its headers',
    act: inOrder(raw('HTTP/1.1 200 OK\r\nx-a: '), hang()),
    acme: () => ({ timeouts: { ...PATIENT, first_event: SHORT, whole: SHORT } }),
    ...TIMED_OUT,
  },
  {
    provider: 'sends the headers of a stream and no event',
    act: hang({ at: 'body' }),
    modes: STREAMS,
    acme: () => ({ timeouts: { ...PATIENT, first_event: SHORT, whole: SHORT } }),
    ...TIMED_OUT,
  },
  {
    provider: 'sends nothing but comments',
    act: stream([comment(), comment(PROVIDERS_WORDS), hang()]),
    modes: STREAMS,
    acme: () => ({ timeouts: { ...PATIENT, first_event: SHORT, whole: SHORT } }),
    ...TIMED_OUT,
  },
  {
    provider: 'falls silent between two chunks',
    act: stream([ROLE, HELLO, hang()]),
    modes: STREAMS,
    acme: () => ({ timeouts: { ...PATIENT, idle: SHORT } }),
    ...TIMED_OUT,
    breaksOff: 'in its text',
  },
  {
    provider: 'falls silent within a whole body',
    act: inOrder(raw('HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{"id":"x"'), hang()),
    modes: ['whole'],
    acme: () => ({ timeouts: { ...PATIENT, first_event: SHORT, whole: SHORT, idle: SHORT } }),
    ...TIMED_OUT,
  },
])

for (const status of [301, 302, 303, 307, 308]) {
  test(`a redirect with ${status} is never followed, and the credential goes nowhere`, async () => {
    await using elsewhere = await startScriptedProvider(respond({ body: {} }))
    const headers = {
      ...PROVIDERS_HEADERS,
      location: `${elsewhere.baseUrl}/chat/completions?at=${INTERNAL_URL}`,
    }
    await using world = await startMisbehaving(respond({ status, headers }))
    for (const body of [{ max_tokens: 20 }, { stream: true }]) {
      const response = await world.chat(body)
      expect(response.headers.get('location')).toBeNull()
      expect(response.status).toBe(502)
      expect((await errorOf(response)).code).toBe('upstream_error')
    }
    await world.settled()
    expect(elsewhere.connectionsAccepted).toBe(0)
    expect(await world.balance()).toEqual({ balance: '10.00', held: '0.00' })
  })
}
