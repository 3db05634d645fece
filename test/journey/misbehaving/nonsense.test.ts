import {
  openaiChunk,
  openaiUsageChunk,
  openaiCompletion,
  pause,
  respond,
  sse,
  stream,
  type Act,
} from '../../support/scriptedProvider.ts'
import {
  PROVIDERS_HEADERS,
  PROVIDERS_WORDS,
  SECRET,
  STREAMS,
  type Misbehaviour,
  testMisbehaviours,
} from './misbehaviour.ts'

const ROLE = openaiChunk({ role: 'assistant', content: '' })
const HELLO = openaiChunk({ content: 'Hello' })
const FINISH = openaiChunk({}, { finishReason: 'stop' })
const DONE = sse('[DONE]')
const ERROR = { error: { message: PROVIDERS_WORDS, type: 'server_error', code: 500, param: null } }
const HTML = `<html><body><h1>502</h1>${PROVIDERS_WORDS}</body></html>`

/** Failures that come with a 200 and before anything of an answer. */
const NOT_AN_ANSWER = { code: 'upstream_error', attempts: ['invalid_answer'] } as const
/** Failures of an answer that had begun. */
const NOT_ALL_OF_IT = {
  code: 'upstream_error',
  attempts: ['invalid_answer'],
  breaksOff: 'in its text',
  modes: STREAMS,
} as const

testMisbehaviours([
  {
    provider: 'answers 200 with an error object',
    act: json(ERROR),
    keptAlive: 1,
    ...NOT_AN_ANSWER,
    attempts: ['server', 'server'],
  },
  {
    provider: 'answers 200 with an error as text',
    act: json({ error: PROVIDERS_WORDS }),
    keptAlive: 1,
    ...NOT_AN_ANSWER,
  },
  {
    provider: 'answers 200 and means that it is overloaded',
    act: json({ error: { message: PROVIDERS_WORDS, code: 'server_is_overloaded' } }),
    keptAlive: 1,
    code: 'service_unavailable',
    retryAfter: '5',
    attempts: ['overloaded', 'overloaded'],
  },
  {
    provider: 'answers 200 with an HTML page',
    act: respond({ headers: { ...PROVIDERS_HEADERS, 'content-type': 'text/html' }, body: HTML }),
    keptAlive: 1,
    ...NOT_AN_ANSWER,
  },
  {
    provider: 'answers 200 with an HTML page that calls itself a stream',
    act: respond({ headers: { ...PROVIDERS_HEADERS, 'content-type': 'text/event-stream' }, body: HTML }),
    modes: STREAMS,
    keptAlive: 1,
    ...NOT_AN_ANSWER,
  },
  {
    provider: 'answers 200 with broken JSON',
    act: respond({
      headers: { ...PROVIDERS_HEADERS, 'content-type': 'application/json' },
      body: `{"choices":[{"message":{"content":"${SECRET}"`,
    }),
    keptAlive: 1,
    ...NOT_AN_ANSWER,
  },
  {
    provider: 'answers 200 with an empty body',
    act: respond({ headers: { ...PROVIDERS_HEADERS, 'content-type': 'application/json' } }),
    keptAlive: 1,
    ...NOT_AN_ANSWER,
  },
  {
    provider: 'answers 200 with JSON that is no completion',
    act: json({ object: 'list', data: [PROVIDERS_WORDS] }),
    keptAlive: 1,
    ...NOT_AN_ANSWER,
  },
  {
    provider: 'answers 200 without choices',
    act: json({ ...openaiCompletion([]), choices: [] }),
    keptAlive: 1,
    ...NOT_AN_ANSWER,
  },
  {
    provider: 'answers 200 with null',
    act: respond({ headers: { 'content-type': 'application/json' }, body: 'null' }),
    keptAlive: 1,
    ...NOT_AN_ANSWER,
  },
  {
    provider: 'says it is gzip and is not',
    keptAlive: 1,
    act: respond({
      headers: { ...PROVIDERS_HEADERS, 'content-type': 'application/json', 'content-encoding': 'gzip' },
      body: JSON.stringify(openaiCompletion('Hello')),
    }),
    ...NOT_AN_ANSWER,
  },
  { provider: 'sends an empty stream', act: stream([]), modes: STREAMS, keptAlive: 1, ...NOT_AN_ANSWER },
  {
    provider: 'sends nothing but [DONE]',
    act: stream([DONE]),
    modes: STREAMS,
    keptAlive: 1,
    ...NOT_AN_ANSWER,
  },
  {
    provider: 'begins its stream with an error',
    act: stream([ERROR]),
    keptAlive: 1,
    modes: STREAMS,
    code: 'upstream_error',
    attempts: ['server', 'server'],
  },
  {
    provider: 'begins its stream with an error and ends it with [DONE]',
    act: stream([ERROR, DONE]),
    keptAlive: 1,
    modes: STREAMS,
    code: 'upstream_error',
    attempts: ['server', 'server'],
  },
  {
    provider: 'begins its stream with broken JSON',
    act: stream([sse(`{"choices":[${SECRET}`)]),
    modes: STREAMS,
    keptAlive: 1,
    ...NOT_AN_ANSWER,
  },
])

type Late = Pick<Misbehaviour, 'provider' | 'act' | 'keptAlive'> &
  Partial<Pick<Misbehaviour, 'attempts' | 'breaksOff'>>

const late: readonly Late[] = [
  {
    provider: 'ends its stream after the role chunk',
    act: stream([ROLE]),
    keptAlive: 1,
    breaksOff: 'before its text',
  },
  { provider: 'ends its stream in mid-answer', act: stream([ROLE, HELLO]), keptAlive: 1 },
  {
    provider: 'ends its stream by closing the connection',
    act: stream([ROLE, HELLO], { framing: 'until-close' }),
  },
  { provider: 'ends its stream with [DONE] and no finish', act: stream([ROLE, HELLO, DONE]), keptAlive: 1 },
  {
    provider: 'ends its stream with usage, without finish or [DONE]',
    act: stream([ROLE, HELLO, openaiUsageChunk()]),
    keptAlive: 1,
  },
  {
    provider: "ends its stream with the finish_reason ''",
    act: stream([ROLE, HELLO, openaiChunk({}, { finishReason: '' }), DONE]),
    keptAlive: 1,
  },
  {
    provider: 'finishes with an error as its reason',
    attempts: ['server'],
    act: stream([ROLE, HELLO, openaiChunk({}, { finishReason: 'error' }), DONE]),
  },
  {
    provider: 'tells an error in mid-answer',
    attempts: ['server'],
    act: stream([ROLE, HELLO, pause(20), ERROR]),
  },
  {
    provider: 'tells an error in mid-answer and then [DONE]',
    attempts: ['server'],
    act: stream([ROLE, HELLO, pause(20), ERROR, DONE]),
  },
  {
    provider: 'tells an error in mid-answer and goes on as if nothing were',
    attempts: ['server'],
    act: stream([ROLE, HELLO, pause(20), ERROR, openaiChunk({ content: SECRET }), FINISH, DONE]),
  },
  {
    provider: 'tells an error as an error event',
    act: stream([ROLE, HELLO, sse({ message: PROVIDERS_WORDS }, { event: 'error' }), DONE]),
  },
  {
    provider: 'tells an error as text',
    act: stream([ROLE, HELLO, { error: PROVIDERS_WORDS }, DONE]),
  },
  {
    provider: 'breaks its JSON in mid-answer',
    act: stream([ROLE, HELLO, sse(`{"choices":[${SECRET}`), FINISH, DONE]),
  },
  { provider: 'sends HTML in mid-answer', act: stream([ROLE, HELLO, sse(HTML), DONE]) },
]

testMisbehaviours(late.map((misbehaviour) => ({ ...NOT_ALL_OF_IT, ...misbehaviour })))

function json(body: Parameters<typeof respond>[0]['body']): Act {
  return respond({ headers: PROVIDERS_HEADERS, body: body ?? '' })
}
