import { describe, expect, test } from 'bun:test'
import { errorOf } from '../../support/readAnswer.ts'
import { type Act, type Script, openaiError, respond, streams } from '../../support/scriptedProvider.ts'
import { attemptsOf, startRoutingWorld } from './routingWorld.ts'

const FINE = streams('Hello')
const SHORT = { max_tokens: 20 }

const DISABLED = openaiError(400, {
  message: 'This organization has been disabled.',
  type: 'invalid_request_error',
})
const UNKNOWN_MODEL = openaiError(400, { message: 'm is not a valid model ID' })
const WRONG_METHOD = respond({ status: 405, body: '' })
const MALFORMED = openaiError(400, { message: 'Failed to call a function.', code: 'tool_use_failed' })
const OVER_LIMIT = openaiError(
  429,
  {
    message:
      'Request too large for m in organization org-secret on tokens per min (TPM): Limit 6000, Requested 9000. Visit https://provider.example/limits.',
    type: 'tokens',
    code: 'rate_limit_exceeded',
  },
  { 'retry-after': '20' },
)
const LARGE_IMAGE = openaiError(400, {
  message:
    'messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 8259148 bytes > 5242880 bytes',
})
const LONG_TEXT = openaiError(400, {
  message:
    "Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024, but got a string with length 1103 instead.",
  code: 'string_above_max_length',
  param: 'tools[0].function.description',
})
const LARGE_OUTPUT = openaiError(400, {
  message:
    'max_tokens is too large: 20. This model supports at most 16 completion tokens, whereas you provided 20.',
  param: 'max_tokens',
})
const LONG_SUM = openaiError(400, {
  message:
    "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (1000 in the messages, 4000 in the completion).",
})

/** What a request meets at two keys of `first`, and at `second`. */
function startKeys(first: Script, second: Script = FINE) {
  return startRoutingWorld({
    providers: { first, second },
    settings: { first: { api_key: undefined, api_keys: ['key-one', 'key-two'] } },
  })
}

describe('what the account, the address or the model is at fault for', () => {
  test.each([
    ['a disabled account', DISABLED, ['first credential', 'first credential', 'second answered']],
    [
      'a request above a limit of the account',
      OVER_LIMIT,
      ['first over_limit', 'first over_limit', 'second answered'],
    ],
    ['an unknown model', UNKNOWN_MODEL, ['first not_found', 'second answered']],
    ['a wrong address', WRONG_METHOD, ['first not_found', 'second answered']],
    ['a malformed call', MALFORMED, ['first malformed_output', 'second answered']],
    ['an image that is too large', LARGE_IMAGE, ['first oversized', 'second answered']],
    ['a text that is too long', LONG_TEXT, ['first oversized', 'second answered']],
    ['a body that is too large', openaiError(413), ['first oversized', 'second answered']],
  ] as const)('goes on to the other keys and targets: %s', async (_, act, attempts) => {
    await using world = await startKeys(act)
    const response = await world.chat(SHORT)
    expect(response.status).toBe(200)
    expect(attemptsOf(await world.receiptOf(response))).toEqual([...attempts])
  })

  test.each([
    ['a disabled account', DISABLED],
    ['an unknown model', UNKNOWN_MODEL],
    ['a wrong address', WRONG_METHOD],
    ['a malformed call', MALFORMED],
  ] as const)('is a 502 where no other can answer, and costs nothing: %s', async (_, act) => {
    await using world = await startRoutingWorld({ providers: { first: act } })
    const response = await world.chat(SHORT)
    expect(response.status).toBe(502)
    expect(await errorOf(response)).toMatchObject({ code: 'upstream_error', param: null })
    await world.settled()
    expect(await world.balance()).toEqual({ balance: '10.00', held: '0.00' })
  })
})

describe('a request above a limit of the account that no wait cures', () => {
  test('is a 400 with both numbers, and with none of the words of the provider', async () => {
    await using world = await startKeys(OVER_LIMIT, OVER_LIMIT)
    const response = await world.chat(SHORT)
    expect(response.status).toBe(400)
    expect(response.headers.get('retry-after')).toBeNull()
    const { message, ...error } = await errorOf(response)
    expect(error).toMatchObject({ code: 'invalid_request', param: 'messages' })
    expect(message).toContain('9000')
    expect(message).toContain('6000')
    expect(message).not.toMatch(/org-secret|https?:|TPM/)
    expect(world.counts()).toEqual({ first: 2, second: 1 })
  })

  test('opens no circuit and cools nothing, however often it comes', async () => {
    await using world = await startKeys(OVER_LIMIT, OVER_LIMIT)
    for (let i = 0; i < 8; i++) expect((await world.chat(SHORT)).status).toBe(400)
    const health = await world.health()
    expect(health['first']?.blocks).toEqual([])
    expect(health['second']?.blocks).toEqual([])
    world.provider('first').play(FINE)
    expect((await world.chat(SHORT)).status).toBe(200)
  })

  test('gives way to a target that is only busy: there a wait helps', async () => {
    await using world = await startKeys(OVER_LIMIT, openaiError(503, {}, { 'retry-after': '7' }))
    const response = await world.chat(SHORT)
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('7')
  })
})

test.each<[string, Act, string | null, string]>([
  [
    'an image',
    LARGE_IMAGE,
    'messages',
    'An image of the request is too large for this model: the limit is 5242880.',
  ],
  [
    'a text',
    LONG_TEXT,
    'tools[0].function.description',
    'A text of the request is too long for this model (`tools[0].function.description`): the limit is 1024.',
  ],
  ['a body', openaiError(413), null, 'The request has too many bytes for this model.'],
  [
    'an output limit',
    LARGE_OUTPUT,
    'max_tokens',
    'The model cannot take this value of `max_tokens`: it takes at most 16.',
  ],
  [
    'messages and output limit together',
    LONG_SUM,
    'max_tokens',
    'The messages and `max_tokens` together are too long for this model: the request has 5000 tokens, and the limit is 4096.',
  ],
])('a 400 names what is too large: %s', async (_, act, param, message) => {
  await using world = await startRoutingWorld({ providers: { first: act } })
  const response = await world.chat(SHORT)
  expect(response.status).toBe(400)
  expect(await errorOf(response)).toMatchObject({ code: 'invalid_request', param, message })
})
