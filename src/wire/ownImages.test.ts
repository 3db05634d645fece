import { describe, expect, test } from 'bun:test'
import { chatRequest, encodeTarget, functionCall } from '../../test/support/chatSamples.ts'
import { refusedField } from '../../test/support/codecRefusals.ts'
import { collected, eventsOf } from '../../test/support/wireFixtures.ts'
import type { Message } from '../core/chat/request.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { WIRE_FORMATS } from './formats.ts'
import { openAiChat } from './openai-chat/openAiChat.ts'

const google = WIRE_FORMATS['google-generate'].client
const PNG = 'data:image/png;base64,QUJD'
const PARTS = { inlineData: { mimeType: 'image/png', data: 'QUJD' } }

function request(...images: Json[]) {
  const made = { role: 'assistant', content: 'Here.', images } as const
  return chatRequest({ messages: [{ role: 'user', content: 'Draw.' }, made] })
}

function modelParts(message: object): Json | undefined {
  const messages = [{ role: 'user', content: 'Draw.' }, message] as Message[]
  const target = encodeTarget('gemini-3-pro-image', { facts: { requiresSignedCalls: true } })
  const { body } = google.encodeRequest(chatRequest({ messages }), target)
  const [, turn] = body.contents as readonly JsonObject[]
  return turn?.parts
}

describe('images that a model made in an earlier turn', () => {
  test('are read alike with their address as a string or in an object', () => {
    const { server, client } = openAiChat
    const body = (image: Json) => ({
      model: 'm',
      messages: [{ role: 'assistant', content: 'Here.', images: [{ type: 'image_url', image_url: image }] }],
    })
    const [plain, object] = [body(PNG), body({ url: PNG })].map((sent) => server.decodeRequest(sent))
    expect(plain).toEqual(object as never)
    if (!plain?.ok) throw new Error('nothing decoded')
    expect(client.encodeRequest(plain.request, encodeTarget('m')).body).toMatchObject(body({ url: PNG }))
  })

  test.each(['https://example.com/a.png', 'data:image/png,QUJD'])(
    '%s is refused by Google by its name, as in a part of a user',
    (url) => {
      const image = { type: 'image_url', image_url: { url } }
      expect(
        refusedField(
          WIRE_FORMATS['google-generate'],
          request({ type: 'image_url', image_url: { url: PNG } }, image),
          encodeTarget('g'),
        ),
      ).toBe('messages[1].images[1].image_url.url')
      const asked = chatRequest({ messages: [{ role: 'user', content: [image] }] })
      expect(refusedField(WIRE_FORMATS['google-generate'], asked, encodeTarget('g'))).toBe(
        'messages[0].content[0].image_url.url',
      )
    },
  )

  test.each(['anthropic-messages', 'mistral-chat', 'cohere-chat', 'bedrock-converse'] as const)(
    'are dropped and named by %s',
    (format) => {
      const { dropped, body } = WIRE_FORMATS[format].client.encodeRequest(
        request({ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }),
        encodeTarget('m'),
      )
      expect(dropped).toContain('messages.images')
      expect(JSON.stringify(body)).not.toContain('example.com')
    },
  )
})

describe("Google's signatures beside images", () => {
  const signed = { ...PARTS, thoughtSignature: 'c2lnLTE=' }
  const second = { ...PARTS, thoughtSignature: 'c2lnLTI=' }
  const frames = [
    { candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Two.' }, signed] } }] },
    {
      candidates: [{ index: 0, content: { role: 'model', parts: [PARTS, second] }, finishReason: 'STOP' }],
    },
  ]
  const parts = [{ text: 'Two.' }, signed, PARTS, second]
  const whole = {
    candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
  }

  test('are kept in the message, whole or streamed, and sent back each with its own', () => {
    const streamed = collected(
      eventsOf(
        google,
        frames.map((frame) => ({ event: undefined, data: JSON.stringify(frame) })),
      ),
    ).choices[0]?.message
    const message = google.decodeResponse(whole).choices[0]?.message
    expect(streamed).toEqual(message as never)
    expect(message?.reasoning_details).toEqual([
      { type: 'reasoning.encrypted', id: 'image_0', data: 'c2lnLTE=', format: 'google-gemini-v1' },
      { type: 'reasoning.encrypted', id: 'image_2', data: 'c2lnLTI=', format: 'google-gemini-v1' },
    ])
    expect(modelParts(message ?? {})).toEqual(parts)
  })

  test('do not stand for those of calls', () => {
    const [call] = modelParts({
      role: 'assistant',
      content: null,
      images: [{ type: 'image_url', image_url: { url: PNG }, index: 0 }],
      reasoning_details: [
        { type: 'reasoning.encrypted', id: 'image_0', data: 'c2lnLTE=', format: 'google-gemini-v1' },
      ],
      tool_calls: [functionCall('a', 'f', '{}')],
    }) as readonly JsonObject[]
    expect(call).toEqual(signed)
    const [, made] = modelParts({
      role: 'assistant',
      content: null,
      images: [{ type: 'image_url', image_url: { url: PNG }, index: 0 }],
      reasoning_details: [
        { type: 'reasoning.encrypted', id: 'image_0', data: 'c2lnLTE=', format: 'google-gemini-v1' },
      ],
      tool_calls: [functionCall('a', 'f', '{}')],
    }) as readonly JsonObject[]
    expect(made).toMatchObject({ thoughtSignature: 'skip_thought_signature_validator' })
  })
})
