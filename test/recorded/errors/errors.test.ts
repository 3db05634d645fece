import { describe, expect, test } from 'bun:test'
import { ERRORS } from '../../../src/core/error.ts'
import { refusalOf } from '../../../src/core/refusalOf.ts'
import { knownProvider } from '../../../src/providers/index.ts'
import { afterFailure } from '../../../src/upstream/afterFailure.ts'
import { effectOf } from '../../../src/upstream/routing/effect.ts'
import { WIRE_FORMATS, type WireFormatId } from '../../../src/wire/formats.ts'
import type { ErrorAnswer } from '../../../src/wire/wire.ts'
import { anthropicMessagesErrors } from './anthropicMessages.ts'
import { bedrockConverseErrors } from './bedrockConverse.ts'
import { cohereChatErrors } from './cohereChat.ts'
import { googleGenerateErrors } from './googleGenerate.ts'
import { mistralChatErrors } from './mistralChat.ts'
import { openaiChatErrors } from './openaiChat.ts'
import type { RecordedError } from './recordedError.ts'

const FORMATS: Readonly<Partial<Record<WireFormatId, readonly RecordedError[]>>> = {
  'openai-chat': openaiChatErrors,
  'anthropic-messages': anthropicMessagesErrors,
  'google-generate': googleGenerateErrors,
  'bedrock-converse': bedrockConverseErrors,
  'mistral-chat': mistralChatErrors,
  'cohere-chat': cohereChatErrors,
}

const OTHERS = { credential: true, target: true }
/** A provider's words of this length are not in the gateway's sentences by chance. */
const WORDS_LENGTH_MIN = 5

function rowOf({ provider }: RecordedError) {
  const row = knownProvider(provider)
  if (!row) throw new Error(`no provider ${provider}`)
  return row
}

function failureOf(error: RecordedError) {
  const { wire, quirks } = rowOf(error)
  const { status, headers = {}, body, sent } = error
  const answer: ErrorAnswer = {
    status,
    headers: new Map(Object.entries(headers)),
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(sent && { sent }),
  }
  const read = WIRE_FORMATS[wire].client.decodeError(answer)
  return quirks.patchFailure?.(answer, read) ?? read
}

for (const [format, errors] of Object.entries(FORMATS)) {
  describe(`whose fault an error of ${format} is`, () => {
    test.each(errors.map((error) => [error.provider, error.status, error.shape, error] as const))(
      '%s, %i: %s',
      (_provider, _status, _shape, error) => {
        const { verdict } = error
        const failure = failureOf(error)
        const { code, message, param } = refusalOf(failure)
        expect({
          kind: failure.kind,
          ...(failure.part !== undefined && { part: failure.part }),
          status: ERRORS[code].status,
          param,
          next: afterFailure(failure, 1, OTHERS),
          waitMs: failure.kind === 'rate_limited' ? failure.retryAfterMs : undefined,
        }).toEqual({
          kind: verdict.kind,
          ...(verdict.part !== undefined && { part: verdict.part }),
          status: verdict.status,
          param: verdict.param ?? null,
          next: verdict.next,
          waitMs: verdict.waitMs,
        })
        for (const number of verdict.numbers ?? []) expect(message).toContain(String(number))
        // A failure that the request alone can cause blocks nothing.
        if (verdict.status === 400) expect(effectOf(failure)).toEqual({ on: 'request' })
      },
    )

    test('its own words, addresses and names reach no caller', () => {
      for (const error of errors) {
        const { message } = refusalOf(failureOf(error))
        const text = typeof error.body === 'string' ? error.body : JSON.stringify(error.body)
        const strange =
          text.match(/https?:\/\/\S+|org[-_]\w+|user_\w+|req_\w+|claude\S+|gpt-\S+|llama\S+/g) ?? []
        for (const word of strange) if (word.length >= WORDS_LENGTH_MIN) expect(message).not.toContain(word)
      }
    })
  })
}

test('each entry belongs to a provider of its format, and says where it was seen', () => {
  const wrong = Object.entries(FORMATS).flatMap(([format, errors]) =>
    errors.filter((error) => rowOf(error).wire !== format || error.source.length < 10),
  )
  expect(wrong).toEqual([])
})
