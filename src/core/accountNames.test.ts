import { expect, test } from 'bun:test'
import { chatRequest } from '../../test/support/chatSamples.ts'
import { findAccountName } from './accountNames.ts'
import type { ContentPart } from './chat/request.ts'

const paramOf = (content: readonly object[]): string | null | undefined =>
  findAccountName(chatRequest({ messages: [{ role: 'user', content: content as readonly ContentPart[] }] }))
    ?.param

const NAMING: readonly [object, string][] = [
  [{ type: 'file', file: { file_id: 'file-1' } }, 'file.file_id'],
  [{ type: 'input_file', file_id: 'file-1' }, 'file_id'],
  [{ type: 'input_image', file_id: 'file-1' }, 'file_id'],
  [{ type: 'document', source: { type: 'file', file_id: 'file_1' } }, 'source'],
  [{ type: 'image', source: { type: 'file', file_id: 'file_1' } }, 'source'],
  [{ type: 'container_upload', file_id: 'file_1' }, 'file_id'],
  [
    { type: 'tool_result', content: [{ type: 'image', source: { type: 'file', file_id: 'f' } }] },
    'content[0].source',
  ],
  [{ type: 'file_search', vector_store_ids: ['vs_1'] }, 'vector_store_ids'],
  [{ type: 'code', container: { id: 'cntr_1' } }, 'container'],
  [{ type: 'image_url', image_url: { url: 'gs://bucket/secret.png' } }, 'image_url.url'],
  [
    { type: 'image_url', image_url: ' https://generativelanguage.googleapis.com/v1beta/files/abc' },
    'image_url',
  ],
  [{ type: 'file', file: { file_data: 'GS://bucket/secret.pdf' } }, 'file.file_data'],
  [{ type: 'video', s3Location: { uri: 's3://bucket/film.mp4' } }, 's3Location.uri'],
]

test.each(NAMING)("what names something in the operator's account is found: %j", (part, field) => {
  expect(paramOf([{ type: 'text', text: 'What is this?' }, part])).toBe(`messages[0].content[1].${field}`)
})

test.each<object>([
  { type: 'text', text: 'file_id: gs://bucket/file' },
  { type: 'image_url', image_url: { url: 'https://example.com/cat.png' } },
  { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
  {
    type: 'file',
    file: { filename: 'gs.pdf', file_data: 'data:application/pdf;base64,AAAA', file_id: null },
  },
  { type: 'video_url', video_url: { url: 'https://www.youtube.com/watch?v=1' } },
  { type: 'document', source: { type: 'base64', data: 'AAAA' }, container: {} },
])('what brings its content along is not: %j', (part) => {
  expect(paramOf([part])).toBeUndefined()
})

test("what a tool was called with is the caller's own", () => {
  const call = {
    id: 'c',
    type: 'function' as const,
    function: { name: 'f', arguments: '{"file_id":"1"}' },
    input: { file_id: '1' },
  }
  const messages = [{ role: 'assistant' as const, content: null, tool_calls: [call] }]
  expect(findAccountName(chatRequest({ messages }))).toBeUndefined()
})

test('a path of any length is shown in 200 characters', () => {
  const param = paramOf([{ type: 'x', ['x'.repeat(10_000)]: { file_id: 'f' } }])
  expect(param?.length).toBe(200)
})
