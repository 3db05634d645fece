import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import {
  anyText,
  anyWords,
  plainChoices,
  plainMessages,
  requestOf,
  responseOf,
  someFields,
  toolCalls,
  toolMessages,
  tools,
} from '../../../test/support/chatArbitraries.ts'
import { describeCodecLaws } from '../../../test/support/codecLaws.ts'
import { bedrockServer } from '../../../test/support/wireServers/bedrock-converse/bedrockServer.ts'
import type { ServerCodec } from '../../../test/support/wireServers/serverCodec.ts'
import { cutBytes } from '../../../test/support/streamBytes.ts'
import type { Message } from '../../core/chat/request.ts'
import type { WholeAnswer, Choice } from '../../core/answer/wholeAnswer.ts'
import { awsEventStreamFrames } from '../aws-event-stream.ts'
import { responseToEvents } from '../collect.ts'
import type { Frame } from '../../core/answer/frame.ts'
import type { WireFormat } from '../wire.ts'
import { bedrockConverse } from './bedrockConverse.ts'
import { readRequestPath } from '../../../test/support/wireServers/bedrock-converse/path.ts'

const CLOSED = { type: 'object', properties: { city: { type: 'string' } }, additionalProperties: false }

/** The format with its door: what the path says is added to the body. */
const withDoor: WireFormat = {
  ...bedrockConverse,
  client: {
    ...bedrockConverse.client,
    encodeRequest(request, target) {
      const encoded = bedrockConverse.client.encodeRequest(request, target)
      return { ...encoded, body: { ...encoded.body, ...readRequestPath(encoded.path) } }
    },
  },
}

/** The laws are about text: each byte becomes the character of its number. */
const inText: ServerCodec = {
  ...bedrockServer,
  encodeStream(envelope) {
    const encode = bedrockServer.encodeStream(envelope)
    const toText = (chunks: Uint8Array[]) => chunks.map((chunk) => Buffer.from(chunk).toString('latin1'))
    return { push: (event) => toText(encode.push(event)), end: () => toText(encode.end()) }
  },
}

function framesOf(chunks: readonly Uint8Array[]): Frame[] {
  const split = awsEventStreamFrames()
  return [...chunks.flatMap((chunk) => split.push(chunk)), ...split.end()]
}

const thoughtful = fc
  .tuple(anyWords, anyWords, toolCalls)
  .map(([thought, text, calls]): readonly Message[] => [
    { role: 'system', content: text },
    {
      role: 'user',
      content: [
        { type: 'text', text },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
        { type: 'file', file: { filename: 'report.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
      ],
    },
    {
      role: 'assistant',
      content: text,
      tool_calls: calls,
      reasoning_content: thought,
      reasoning_details: [
        { type: 'reasoning.text', text: thought, signature: 'c2ln', format: 'anthropic-claude-v1' },
        { type: 'reasoning.encrypted', data: 'c2VjcmV0', format: 'anthropic-claude-v1' },
      ],
    },
    ...calls.map((call): Message => ({ role: 'tool', tool_call_id: call.id, content: text })),
    { role: 'user', content: text },
  ])

const fields = fc
  .tuple(
    someFields('maxTokens', 'stop'),
    fc.record(
      {
        temperature: fc.integer({ min: 0, max: 10 }).map((value) => value / 10),
        topP: fc.integer({ min: 1, max: 9 }).map((value) => value / 10),
        reasoningEffort: fc.constantFrom('low', 'high'),
        responseFormat: fc.constant({
          type: 'json_schema',
          json_schema: { name: 'answer', description: 'An answer.', schema: CLOSED },
        }),
        extra: fc.constantFrom({}, { service_tier: 'flex' }),
      },
      { requiredKeys: [], noNullPrototype: true },
    ),
    tools,
    fc.constantFrom(
      'auto' as const,
      'required' as const,
      { type: 'function' as const, function: { name: 'look' } },
      undefined,
    ),
  )
  .map(([common, own, tools, toolChoice]) => ({
    ...common,
    ...own,
    tools,
    ...(toolChoice && { toolChoice }),
  }))

const reasoned = fc
  .tuple(fc.array(anyText, { minLength: 1, maxLength: 3 }), anyText)
  .chain(([thoughts, content]) => {
    const reasoning = thoughts.join('')
    return fc.constantFrom<Omit<Choice, 'index'>>(
      { message: { role: 'assistant', content, reasoning_content: reasoning }, finishReason: 'stop' },
      {
        message: {
          role: 'assistant',
          content,
          reasoning_content: reasoning,
          reasoning_details: [
            ...thoughts.map((text, i) => ({
              type: 'reasoning.text',
              text,
              signature: `s${i}`,
              format: 'anthropic-claude-v1',
            })),
            { type: 'reasoning.encrypted', data: 'c2VjcmV0', format: 'anthropic-claude-v1' },
          ],
        },
        finishReason: 'length',
      },
      {
        message: {
          role: 'assistant',
          content,
          annotations: [
            {
              type: 'url_citation',
              url_citation: { url: 'https://a.b/c', title: 'C', start_index: 0, end_index: content.length },
            },
          ],
        },
        finishReason: 'stop',
      },
    )
  })

/** Converse does not tell reasoning tokens apart. */
function plainUsage(given: WholeAnswer): WholeAnswer {
  return {
    ...given,
    ...(given.usage && {
      usage: {
        ...given.usage,
        reasoningTokens: 0,
        cacheWriteTokens: 1,
        promptTokens: given.usage.promptTokens + 1,
      },
    }),
  }
}

const response = responseOf(
  fc.oneof(plainChoices, reasoned),
  1,
  fc.constantFrom({}, { service_tier: 'priority' }),
).map(plainUsage)

const MODEL_LIMIT = 1_000_000

describeCodecLaws(withDoor, inText, {
  request: requestOf(fc.oneof(plainMessages, toolMessages, thoughtful), fields),
  response,
  framesOf: (text) => framesOf([Buffer.from(text, 'latin1')]),
  // A caller without a limit gets the model's own, which a reader cannot tell from an asked one.
  comparable: ({ maxTokens, ...rest }) => ({ ...rest, maxTokens: maxTokens ?? MODEL_LIMIT }),
  target: {
    upstreamModel: 'upstream-model',
    maxOutputTokens: MODEL_LIMIT,
    quirks: {},
    unsupportedFields: [],
    facts: {},
  },
})

function eventsOf(frames: readonly Frame[]) {
  const decode = bedrockConverse.client.decodeStream()
  return [...frames.flatMap((frame) => decode.push(frame)), ...decode.end()]
}

const envelope = { id: 'chatcmpl-1', created: 1, model: 'm', includeUsage: true }

test('however the bytes of a stream are cut, also inside a message, the events are the same', () => {
  fc.assert(
    fc.property(response, fc.array(fc.nat(), { maxLength: 12 }), (given, cuts) => {
      const encode = bedrockServer.encodeStream(envelope)
      const chunks = [...responseToEvents(given).flatMap((event) => encode.push(event)), ...encode.end()]
      const bytes = Buffer.concat(chunks)
      expect(eventsOf(framesOf(cutBytes(bytes, cuts)))).toEqual(eventsOf(framesOf(chunks)))
    }),
  )
})
