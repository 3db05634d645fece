import { describe, expect, test } from 'bun:test'
import type { ChatRequest, Message } from './chat/request.ts'
import { findUnpriced } from './unpriced.ts'

function paramOf(more: Partial<ChatRequest>): string | null | undefined {
  const plain = { model: 'm', messages: [], n: 1, stream: false, includeUsage: false, extra: {} }
  const refusal = findUnpriced({ ...plain, ...more })
  if (refusal) expect(refusal.code).toBe('invalid_request')
  return refusal?.param
}

function user(...content: unknown[]): Partial<ChatRequest> {
  return { messages: [{ role: 'user', content } as Message] }
}

const text = { type: 'text', text: 'Hi' }

describe('what has no price is refused by the name of its field', () => {
  test.each<[param: string, request: Partial<ChatRequest>]>([
    ['service_tier', { extra: { service_tier: 'flex' } }],
    ['service_tier', { extra: { service_tier: 'priority' } }],
    ['web_search_options', { extra: { web_search_options: {} } }],
    ['modalities', { extra: { modalities: ['text', 'audio'] } }],
    ['modalities', { extra: { modalities: ['image'] } }],
    ['audio', { extra: { audio: { voice: 'alloy', format: 'wav' } } }],
    ['tools[0].type', { tools: [{ type: 'web_search' }] }],
    ['tools[0].type', { tools: [{ type: 'bash_code_execution_20250825' }] }],
    ['tools[0].type', { tools: [{ type: 'shell', environment: { type: 'container_auto' } }] }],
    ['tools[1].type', { tools: [{ type: 'custom' }, { type: 'code_interpreter' }] }],
    ['messages[0].content[1].type', user(text, { type: 'input_audio', input_audio: { data: 'AA==' } })],
    [
      'messages[0].content[0].image_url.url',
      user({ type: 'image_url', image_url: { url: 'data:audio/mp3;base64,AA==' } }),
    ],
    [
      'messages[0].content[0].file.file_data',
      user({ type: 'file', file: { file_data: 'DATA:Audio/wav;base64,AA==' } }),
    ],
    ['messages[0].audio', { messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] }],
  ])('%s', (param, request) => {
    expect(paramOf(request)).toBe(param)
  })
})

test('what costs tokens of the usual kinds is sold', () => {
  expect(
    paramOf({
      ...user(
        text,
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
        { type: 'file', file: { file_data: 'data:application/pdf;base64,AA==' } },
        { type: 'hologram', hologram: { depth: 3 } },
      ),
      tools: [
        { type: 'function', function: { name: 'f' } },
        { type: 'custom' },
        { type: 'text_editor_20250728' },
        { type: 'bash_20250124' },
        { type: 'local_shell' },
        { type: 'shell', environment: { type: 'local' } },
        { type: 'apply_patch' },
      ],
      extra: {
        service_tier: 'auto',
        modalities: ['text'],
        audio: null,
        prompt_cache_retention: '24h',
        prediction: { type: 'content', content: 'x' },
      },
    }),
  ).toBeUndefined()
})
