import { describe, expect, test } from 'bun:test'
import { encodeTarget } from '../../test/support/chatSamples.ts'
import type { Message, ReasoningDetail } from '../core/chat/request.ts'
import { type MessageFields, dropMessageFields, isSignedThought } from './droppedMessageFields.ts'
import { requestFields } from './requestFields.ts'
import { WIRE_FORMATS } from './formats.ts'
import { WIRE_SERVERS } from '../../test/support/wireServers/wireServers.ts'

function droppedOf(message: Message, takes: Partial<MessageFields> = {}): readonly string[] {
  const fields = requestFields(encodeTarget('m'))
  dropMessageFields([message], fields, { reasoningDetail: isSignedThought, ...takes })
  return fields.dropped
}

const image = (detail: string) => ({ type: 'image_url', image_url: { url: 'data:,', detail } })

describe('fields inside messages that the format has no place for are named', () => {
  test('names of speakers, but not of functions', () => {
    expect(droppedOf({ role: 'user', content: 'Hi', name: 'ada' })).toEqual(['messages.name'])
    expect(droppedOf({ role: 'tool', content: 'Hi', name: 'look', tool_call_id: '1' })).toEqual([])
    expect(droppedOf({ role: 'function', content: 'Hi', name: 'look' })).toEqual([])
  })

  test('the detail of an image, unless it says nothing', () => {
    const field = 'messages.content.image_url.detail'
    expect(droppedOf({ role: 'user', content: [image('low')] })).toEqual([field])
    expect(droppedOf({ role: 'user', content: [image('low')] }, { imageDetail: true })).toEqual([])
    expect(droppedOf({ role: 'user', content: [image('auto')] })).toEqual([])
  })

  test('the mark of a failed tool', () => {
    const failed = { role: 'tool', tool_call_id: '1', content: 'No.', is_error: true } as const
    expect(droppedOf(failed)).toEqual(['messages.is_error'])
    expect(droppedOf(failed, { resultError: true })).toEqual([])
    expect(droppedOf({ ...failed, is_error: false })).toEqual([])
  })

  test('the name of a file', () => {
    const content = [{ type: 'file', file: { filename: 'a.pdf', file_data: 'data:,' } }]
    expect(droppedOf({ role: 'user', content })).toEqual(['messages.content.file.filename'])
    expect(droppedOf({ role: 'user', content }, { filename: true })).toEqual([])
  })

  test('a refusal beside content', () => {
    const both = { role: 'assistant', content: 'Well.', refusal: 'I will not.' } as const
    expect(droppedOf(both)).toEqual(['messages.refusal'])
    expect(droppedOf(both, { refusalBesideContent: true })).toEqual([])
    expect(droppedOf({ ...both, content: null })).toEqual([])
  })

  test('reasoning that does not go back', () => {
    const unsigned = { role: 'assistant', content: 'Hi', reasoning_content: 'Hm.' } as const
    const signed = [{ type: 'reasoning.text', text: 'Hm.', signature: 's' }]
    const foreign = [{ type: 'reasoning.encrypted', id: 'call_1', data: 's' }]
    expect(droppedOf(unsigned)).toEqual(['messages.reasoning_content'])
    expect(droppedOf(unsigned, { reasoningText: true })).toEqual([])
    expect(droppedOf({ ...unsigned, reasoning_details: signed })).toEqual([])
    const summed = [{ type: 'reasoning.summary', summary: 'Hm.' }]
    expect(droppedOf({ ...unsigned, reasoning_details: summed }, { reasoningDetail: () => true })).toEqual([])
    expect(droppedOf({ ...unsigned, reasoning_details: foreign }, { reasoningText: true })).toEqual([
      'messages.reasoning_details',
    ])
  })
})

test('the signature of another provider is never sent as a thought', () => {
  const foreign: ReasoningDetail = { type: 'reasoning.encrypted', id: 'call_1', data: 'foreign' }
  for (const id of ['anthropic-messages', 'bedrock-converse'] as const) {
    const { body, dropped } = WIRE_FORMATS[id].client.encodeRequest(
      {
        model: 'm',
        messages: [{ role: 'assistant', content: 'Hi', reasoning_details: [foreign] }],
        n: 1,
        stream: false,
        includeUsage: false,
        promptCacheKey: 'key',
        extra: {},
      },
      encodeTarget('claude-sonnet-4-6', { maxOutputTokens: 1 }),
    )
    expect(JSON.stringify(body)).not.toContain('foreign')
    expect(dropped).toContainAllValues(['messages.reasoning_details', 'prompt_cache_key'])
  }
})

test('a refusal is told in the words of formats that have no place for it', () => {
  const message = { role: 'assistant', content: null, refusal: 'I will not.' } as const
  const answer = { choices: [{ index: 0, message, finishReason: 'stop' }], extra: {} } as const
  const envelope = { id: 'a', created: 1, model: 'm', includeUsage: true }
  for (const id of ['google-generate', 'bedrock-converse', 'mistral-chat', 'cohere-chat'] as const) {
    const decoded = WIRE_FORMATS[id].client.decodeResponse(WIRE_SERVERS[id].encodeResponse(answer, envelope))
    expect(decoded.choices[0]?.message.content).toBe('I will not.')
  }
})
