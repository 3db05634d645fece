import { expect, test } from 'bun:test'
import { rejectionOf } from './rejection.ts'
import { type Answer, expectValidAnswer } from './validAnswer.ts'

const CREDITS = { workspace_id: 'ws_1', balance_usd: '1.00', held_usd: '0.00', available_usd: '1.00' }
const CHUNK = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'acme/chat-1' }
const FINISH = { ...CHUNK, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }

function answerOf(body: unknown, change: Partial<Answer> = {}): Answer {
  return {
    method: 'GET',
    path: '/v1/credits',
    status: 200,
    contentType: 'application/json',
    body: JSON.stringify(body),
    ...change,
  }
}

function refusalOf(code: string): object {
  return { error: { code, message: 'It is refused.', type: 'invalid_request_error', param: null } }
}

function streamOf(...events: unknown[]): Answer {
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  const change = {
    method: 'POST',
    path: '/v1/chat/completions',
    contentType: 'text/event-stream; charset=utf-8',
  }
  return answerOf(undefined, { ...change, body: `${body}data: [DONE]\n\ndata: {"cut":` })
}

test.each([
  ['an answer', answerOf(CREDITS)],
  ['a refusal', answerOf(refusalOf('missing_api_key'), { status: 401 })],
  ['a stream', streamOf(FINISH)],
  ['a stream that fails', streamOf({ ...CHUNK, choices: [], ...refusalOf('upstream_error') })],
  ['a model with slashes', answerOf(refusalOf('model_not_found'), { path: '/v1/models/a/b/c', status: 404 })],
  ['an answer without a body', answerOf(undefined, { method: 'HEAD', body: '' })],
  ['a refusal at an unknown path', answerOf(refusalOf('not_found'), { path: '/v1/unknown', status: 404 })],
  ['a page', answerOf('', { path: '/docs', contentType: 'text/html' })],
])('%s that the document describes is valid', async (_, answer) => {
  await expectValidAnswer(answer)
})

test.each([
  ['a missing field', answerOf({ ...CREDITS, held_usd: undefined }), "required property 'held_usd'"],
  ['a wrong type', answerOf({ ...CREDITS, held_usd: 0 }), '/held_usd must be string'],
  ['a field that it does not name', answerOf({ ...CREDITS, secret: 'x' }), '"additionalProperty":"secret"'],
  [
    'a status that it does not list',
    answerOf(CREDITS, { status: 202 }),
    'it lists 200, 401, 426, 429, 500, 503',
  ],
  [
    'a content type that it does not list',
    answerOf('', { contentType: 'text/html' }),
    'it lists no text/html',
  ],
  ['a body that is cut', answerOf(CREDITS, { body: '{"workspace_id":' }), 'the body is no JSON'],
  [
    'a code of another status',
    answerOf(refusalOf('not_found'), { status: 401 }),
    'it names `missing_api_key`',
  ],
  ['a chunk without a model', streamOf({ ...FINISH, model: undefined }), "required property 'model'"],
  [
    'an unknown error in a stream',
    streamOf({ ...CHUNK, choices: [], ...refusalOf('odd') }),
    '/error/code must be equal to one of',
  ],
  ['an answer at an unknown path', answerOf({}, { path: '/v1/unknown' }), 'does not describe this path'],
  ['an answer by an unknown method', answerOf({}, { method: 'PUT' }), 'does not describe this path'],
])('%s is refused by path, status and reason', async (_, answer, reason) => {
  const refusal = String(await rejectionOf(expectValidAnswer(answer)))
  expect(refusal).toContain(`${answer.method} ${answer.path} answered ${answer.status}, `)
  expect(refusal).toContain(reason)
})
