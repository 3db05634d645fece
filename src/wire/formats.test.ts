import { describe, expect, test } from 'bun:test'
import { chatRequest, encodeTarget, usageOf } from '../../test/support/chatSamples.ts'
import { failureIn, failureOf } from '../../test/support/wireFixtures.ts'
import { WIRE_SERVERS } from '../../test/support/wireServers/wireServers.ts'
import type { AnswerEvent } from '../core/answer/event.ts'
import type { WholeAnswer } from '../core/answer/wholeAnswer.ts'
import type { Json } from '../core/json.ts'
import { responseToEvents } from './collect.ts'
import { WIRE_FORMAT_IDS, WIRE_FORMATS, type WireFormatId } from './formats.ts'
import { splitFrames } from './framing.ts'
import { FORMAT_QUIRKS, type FormatQuirk, UnsupportedField, type WireQuirks } from './wire.ts'

const ENVELOPE = { id: 'msg_1', created: 1_795_000_000, model: 'm', includeUsage: true }

function answerOf(choices: number): WholeAnswer {
  return {
    choices: Array.from({ length: choices }, (_, index) => ({
      index,
      message: { role: 'assistant', content: `choice ${index}` },
      finishReason: 'stop',
    })),
    usage: usageOf(3, 2),
    extra: {},
  }
}

function wholeBody(id: WireFormatId, choices: number): Json {
  return JSON.parse(JSON.stringify(WIRE_SERVERS[id].encodeResponse(answerOf(choices), ENVELOPE))) as Json
}

/** The events of a stream that is complete in its format and has so many choices. */
function streamedEvents(id: WireFormatId, choices: number, asked: number): AnswerEvent[] {
  const encode = WIRE_SERVERS[id].encodeStream(ENVELOPE)
  const events = responseToEvents(answerOf(choices))
  const chunks = [...events.flatMap((event) => encode.push(event)), ...encode.end()]
  const split = splitFrames(WIRE_FORMATS[id].framing)
  const decode = WIRE_FORMATS[id].client.decodeStream(asked)
  const bytes = chunks.map((chunk) => (typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk))
  const frames = [...bytes.flatMap((piece) => split.push(piece)), ...split.end()]
  return [...frames.flatMap((frame) => decode.push(frame)), ...decode.end()]
}

describe.each(WIRE_FORMAT_IDS.filter((id) => WIRE_FORMATS[id].quirks.includes('supportsN')))('%s', (id) => {
  test('gives as many choices as were asked for, and refuses one fewer', () => {
    const { client } = WIRE_FORMATS[id]
    expect(client.decodeResponse(wholeBody(id, 3), 3).choices).toHaveLength(3)
    expect(failureIn(streamedEvents(id, 3, 3))).toBeUndefined()
    expect(failureOf(() => client.decodeResponse(wholeBody(id, 2), 3))?.kind).toBe('invalid_answer')
    expect(failureIn(streamedEvents(id, 2, 3))?.kind).toBe('invalid_answer')
  })
})

describe.each(WIRE_FORMAT_IDS)('%s', (id) => {
  test('sends n if it has n, and only then', () => {
    const { choices, client, quirks } = WIRE_FORMATS[id]
    const bodyOf = (n: number): string =>
      JSON.stringify(client.encodeRequest(chatRequest({ n }), encodeTarget('m')).body)
    expect(bodyOf(3) !== bodyOf(1)).toBe(quirks.includes('supportsN'))
    if (choices === 'n') expect(quirks).toContain('supportsN')
  })

  test('takes custom tools if a provider of it may have them, and only then', () => {
    const { client, customTools = false, quirks } = WIRE_FORMATS[id]
    const request = chatRequest({ tools: [{ type: 'custom', custom: { name: 'sh' } }] })
    const encode = () => client.encodeRequest(request, encodeTarget('m'))
    if (quirks.includes('customTools')) expect(encode).not.toThrow()
    else expect(encode).toThrow(UnsupportedField)
    if (customTools) expect(quirks).toContain('customTools')
  })

  test.each(FORMAT_QUIRKS.filter((quirk) => quirk !== 'supportsN' && quirk !== 'customTools'))(
    'honours %s if it declares it, and only then',
    (quirk) => {
      const bodyOf = (quirks: WireQuirks): string => {
        const { client } = WIRE_FORMATS[id]
        return JSON.stringify(client.encodeRequest(TELLING, encodeTarget('m', { quirks })).body)
      }
      const honours = bodyOf(QUIRKS[quirk]) !== bodyOf({})
      expect(honours).toBe(WIRE_FORMATS[id].quirks.includes(quirk))
    },
  )
})

/** A request in which each of `QUIRKS` changes something. */
const TELLING = chatRequest({
  stream: true,
  includeUsage: true,
  maxTokens: 10,
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hello', name: 'ada' },
  ],
})

const QUIRKS: Readonly<Record<Exclude<FormatQuirk, 'customTools'>, WireQuirks>> = {
  supportsN: { supportsN: true },
  maxTokensField: { maxTokensField: 'max_completion_tokens' },
  streamOptions: { streamOptions: false },
  instructionRole: { instructionRole: 'developer' },
  dropMessageFields: { dropMessageFields: ['name'] },
}

test('every format has an id and a display name of its own', () => {
  const names = Object.values(WIRE_FORMATS).map(({ displayName }) => displayName)
  expect(new Set(WIRE_FORMAT_IDS).size).toBe(WIRE_FORMAT_IDS.length)
  expect(new Set(names).size).toBe(names.length)
  for (const id of WIRE_FORMAT_IDS) expect(WIRE_FORMATS[id].id).toBe(id)
})
