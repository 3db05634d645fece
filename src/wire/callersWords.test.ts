import { describe, expect, test } from 'bun:test'
import { chatRequest, encodeTarget } from '../../test/support/chatSamples.ts'
import { WIRE_SERVERS } from '../../test/support/wireServers/wireServers.ts'
import type { ChatRequest } from '../core/chat/request.ts'
import { refuse } from '../core/error.ts'
import type { JsonObject } from '../core/json.ts'
import { WIRE_FORMATS, type WireFormatId } from './formats.ts'
import { type ErrorAnswer, UnsupportedField } from './wire.ts'

/** Each is a sentence that decides when a provider says it of itself, on 400. */
const SENTENCES = [
  ['out of credits', 'billing'],
  ['Your credit balance is too low', 'billing'],
  ['unauthorized', 'credential'],
  ['invalid api key', 'credential'],
  ['model x1 does not exist', 'not_found'],
  ['this organization has been disabled', 'credential'],
  ['the supported API model names are x1', 'not_found'],
  ['failed to call a function', 'malformed_output'],
  ['too many images', 'oversized'],
  ['image exceeds the limit', 'oversized'],
  ['prompt is too long', 'too_large'],
  ['against the content policy', 'content_policy'],
] as const

/** Where a caller can write a sentence. */
const PLACES: Readonly<Record<string, (words: string) => Partial<ChatRequest>>> = {
  'the text of a message': (words) => ({ messages: [{ role: 'user', content: words }] }),
  'the address of an image': (words) => ({
    messages: [
      {
        role: 'user',
        content: [{ type: 'image_url', image_url: { url: words } }],
      },
    ],
  }),
  'the description of a tool': (words) => ({ tools: [toolOf({ description: words })] }),
  'the name of a property': (words) => ({
    tools: [toolOf({ parameters: { type: 'object', properties: { [words]: { type: 'string' } } } })],
  }),
  'the id of a call': (words) => ({
    messages: [
      { role: 'user', content: 'Go.' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: words, type: 'function', function: { name: 'look', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: words, content: 'seen' },
    ],
  }),
}

/** Formats that have no such place: they refuse the address of an image, or make ids of their own. */
const UNSAID: Readonly<Record<string, readonly WireFormatId[]>> = {
  'the address of an image': ['google-generate', 'bedrock-converse'],
  'the id of a call': ['mistral-chat'],
}

const imageOf = (words: string) => `https://example.org/${encodeURIComponent(words)}.png`

function toolOf(more: JsonObject) {
  return { type: 'function' as const, function: { name: 'look', ...more } }
}

describe.each(Object.entries(WIRE_FORMATS))('an error of %s', (id, { client }) => {
  const server = WIRE_SERVERS[id as WireFormatId]
  const answer = (message: string, sent?: JsonObject): ErrorAnswer => ({
    status: 400,
    headers: new Map(),
    body: JSON.stringify(server.encodeError(refuse('invalid_request', message), 'req_1')),
    ...(sent && { sent }),
  })

  test.each(SENTENCES)('with the words "%s" is %s when they are its own', (words, kind) => {
    expect(client.decodeError(answer(`Sorry: ${words}.`))).toMatchObject({ kind, sign: 'words' })
  })

  /** The request with the words; undefined when the format cannot say them, so that no provider can repeat them. */
  function sentWith(
    requestWith: (words: string) => Partial<ChatRequest>,
    words: string,
  ): JsonObject | undefined {
    try {
      const { body } = client.encodeRequest(chatRequest(requestWith(words)), encodeTarget('m-1'))
      return JSON.stringify(body).includes(words) ? body : undefined
    } catch (error) {
      if (error instanceof UnsupportedField) return undefined
      throw error
    }
  }

  for (const [place, requestWith] of Object.entries(PLACES))
    test(`that repeats words of the request is the request's, quoted or not: ${place}`, () => {
      for (const [words] of SENTENCES) {
        const written = place === 'the address of an image' ? imageOf(words) : words
        const sent = sentWith(requestWith, written)
        if (sent === undefined) continue
        for (const message of [`Sorry: ${written}.`, `Invalid value: '${written}'.`, `"${written}" is odd`])
          expect(client.decodeError(answer(message, sent))).toMatchObject({
            kind: 'bad_request',
            sign: 'status',
          })
      }
      const unsaid = UNSAID[place]?.includes(id as WireFormatId) ?? false
      expect(
        sentWith(requestWith, place === 'the address of an image' ? imageOf('x') : 'some_words') ===
          undefined,
      ).toBe(unsaid)
    })

  test('that is an HTML page with a 403 is no sign that the key is refused', () => {
    const page = {
      status: 403,
      headers: new Map(),
      body: '<html><body>Sorry, you have been blocked</body></html>',
    }
    expect(client.decodeError(page)).toMatchObject({ kind: 'credential', sign: 'status' })
  })
})
