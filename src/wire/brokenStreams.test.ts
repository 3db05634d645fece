import { describe, expect, test } from 'bun:test'
import type { FailureKind } from '../core/failure.ts'
import { ERRORS, refuse } from '../core/error.ts'
import { refusalOf, refusalOfBrokenOff } from '../core/refusalOf.ts'
import { anthropicMessages } from './anthropic-messages/anthropicMessages.ts'
import { openAiChat } from './openai-chat/openAiChat.ts'

const ENVELOPE = { id: 'x', created: 1, model: 'm', includeUsage: true }
const BROKEN = refuse('upstream_error', 'The answer was interrupted.')

test.each([
  [
    openAiChat,
    'data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"error":{"code":"upstream_error","message":"The answer was interrupted.","type":"upstream_error","param":null}}\n\n',
  ],
  [
    anthropicMessages,
    'event: error\ndata: {"type":"error","error":{"type":"api_error","message":"The answer was interrupted.","code":"upstream_error","param":null},"request_id":"x"}\n\n',
  ],
])(
  'a stream that breaks off ends in the words of its format, and nothing follows: $id',
  ({ server }, last) => {
    const encoder = server.encodeStream(ENVELOPE)
    encoder.push({ type: 'start' })
    encoder.push({ type: 'delta', index: 0, delta: { content: 'Hel' } })
    expect(encoder.fail(BROKEN)).toBe(last)
    expect(encoder.push({ type: 'delta', index: 0, delta: { content: 'lo' } })).toEqual([])
    expect(encoder.push({ type: 'finish', index: 0, reason: 'stop' })).toEqual([])
    expect(encoder.end()).toEqual([])
  },
)

/** Of each kind of failure: whether the same request may succeed. */
const MAY_HELP: Readonly<Record<FailureKind, boolean>> = {
  connection: true,
  no_files: true,
  no_ports: true,
  no_room: true,
  no_share: false,
  timeout: true,
  bad_request: false,
  too_large: false,
  oversized: false,
  over_limit: false,
  content_policy: false,
  credential: true,
  billing: true,
  too_dear: true,
  not_found: true,
  rate_limited: true,
  overloaded: true,
  server: true,
  invalid_answer: true,
  malformed_output: false,
}

describe.each([openAiChat, anthropicMessages])('the last event of a stream of $id', ({ id, server }) => {
  test.each(Object.entries(MAY_HELP) as [FailureKind, boolean][])(
    'after the failure %s holds the words that agents go on by: %p',
    (kind, mayHelp) => {
      const failure = { kind, detail: 'acme.internal' }
      const last = server.encodeStream(ENVELOPE).fail(refusalOfBrokenOff(failure))
      const { error } = JSON.parse(last.slice(last.indexOf('{'))) as {
        error: { code: string; message: string; type: string }
      }
      expect(/server error/.test(error.message)).toBe(mayHelp)
      expect(error.code).toBe(refusalOf(failure).code)
      const { type } = ERRORS[refusalOf(failure).code]
      const own = error.code === 'invalid_request' ? 'invalid_request_error' : 'api_error'
      expect(error.type).toBe(id === 'openai-chat' ? type : own)
      expect(server.encodeStream(ENVELOPE).push({ type: 'error', failure })).toEqual([last])
    },
  )
})
