import { describe, expect, test } from 'bun:test'
import { chatRequest } from '../../test/support/chatSamples.ts'
import { findAccountName } from './accountNames.ts'
import type { ChatRequest, ContentPart } from './chat/request.ts'
import type { JsonObject } from './json.ts'

const paramOf = (content: readonly object[]): string | null | undefined =>
  findAccountName(chatRequest({ messages: [{ role: 'user', content: content as readonly ContentPart[] }] }))
    ?.param

const NAMING: readonly [object, string][] = [
  [{ type: 'file', file: { file_id: 'file-1' } }, 'file.file_id'],
  [{ type: 'input_file', file_id: 'file-1' }, 'file_id'],
  [{ type: 'input_file', file_id: 4711 }, 'file_id'],
  [{ type: 'x', container: 4711 }, 'container'],
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

test("what a shell was told, and what it wrote, is the caller's own", () => {
  const action = { commands: ['s3://a', 'ls'], command: ['s3://a'], env: { CONTAINER: 'web', FILE_ID: '1' } }
  const output = [{ stdout: 'gs://a', stderr: 's3://b', outcome: { type: 'exit', exit_code: 0 } }]
  const operation = { type: 'create_file', path: 'a', diff: 'gs://a' }
  const input = [{ action }, { output }, { operation }, { output: 's3://b' }]
  const source = { format: 'f', body: { input }, headers: {} }
  expect(findAccountName(chatRequest({ source }))).toBeUndefined()
  const named = { ...source, body: { input: [{ output: [{ file_id: 'file-1' }] }] } }
  expect(findAccountName(chatRequest({ source: named }))?.param).toBe('input[0].output[0].file_id')
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

/** What names something, and the field that does. */
const FORMS: readonly [object, string][] = [
  [{ file_id: 'file-1' }, 'file_id'],
  [{ fileId: 'file-1' }, 'fileId'],
  [{ File_ID: 'file-1' }, 'File_ID'],
  [{ 'file_id\u017f': ['file-1'] }, 'file_id\u017f'],
  [{ file_ids: ['file-1'] }, 'file_ids'],
  [{ file: { file_id: 'file-1' } }, 'file.file_id'],
  [{ vector_store_ids: ['vs_1'] }, 'vector_store_ids'],
  [{ vectorStoreIds: ['vs_1'] }, 'vectorStoreIds'],
  [{ collection_ids: ['c_1'] }, 'collection_ids'],
  [{ library_ids: ['l_1'] }, 'library_ids'],
  [{ cachedContent: 'cachedContents/1' }, 'cachedContent'],
  [{ container: { id: 'cntr_1' } }, 'container'],
  [{ audio: { id: 'audio_1' } }, 'audio'],
  [{ source: { type: 'file', file_id: 'f' } }, 'source'],
  [{ image_url: 'ms://file-1' }, 'image_url'],
  [{ image_url: { url: 'ms://file-1' } }, 'image_url.url'],
  [{ video_url: { url: 'ms://file-1' } }, 'video_url.url'],
  [{ video_url: { url: 'mm_file://file-1' } }, 'video_url.url'],
  [{ images: ['https://example.com/1.png', 'gs://bucket/1.png'] }, 'images[1]'],
  [
    { fileData: { fileUri: 'https://generativelanguage.googleapis.com:443/v1beta/files/1' } },
    'fileData.fileUri',
  ],
  [{ text: 'fileid://file-fe-1' }, 'text'],
]

/** Every field of a request in which something nested goes on to a provider. */
const FIELDS: readonly [string, (form: object) => Partial<ChatRequest>][] = [
  ['messages[0].content[0]', (form) => withMessage({ role: 'user', content: [{ type: 'x', ...form }] })],
  [
    'messages[0].content[0].content[0]',
    (form) =>
      withMessage({ role: 'user', content: [{ type: 'tool_result', content: [{ type: 'x', ...form }] }] }),
  ],
  ['messages[0].attachment', (form) => withMessage({ role: 'user', content: 'Hello', attachment: form })],
  ['messages[0]', (form) => withMessage({ role: 'user', content: 'Hello', ...form })],
  [
    'messages[0].tool_calls[0]',
    (form) =>
      withMessage({
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' }, ...form }],
      }),
  ],
  ['tools[0]', (form) => ({ tools: [{ type: 'function', function: { name: 'f' }, ...form }] })],
  ['tools[0].function', (form) => ({ tools: [{ type: 'function', function: { name: 'f', ...form } }] })],
  ['tool_choice', (form) => ({ toolChoice: { type: 'file_search', ...form } })],
  ['response_format', (form) => ({ responseFormat: { type: 'x', ...(form as { x: string }) } })],
  [
    'prediction.content[0]',
    (form) => ({ extra: { prediction: { type: 'content', content: [form as {}] } } }),
  ],
  ['functions[0]', (form) => ({ extra: { functions: [{ name: 'f', ...form }] } })],
  ['moderation', (form) => ({ extra: { moderation: { ...form } } })],
]

function withMessage(message: ChatRequest['messages'][number]): Partial<ChatRequest> {
  return { messages: [message] }
}

describe.each(FIELDS)('in %s of a request', (path, requestWith) => {
  test.each(FORMS)('is found: %j', (form, field) => {
    expect(findAccountName(chatRequest(requestWith(form)))?.param).toBe(`${path}.${field}`)
  })
})

test.each<Partial<ChatRequest>>([
  { tools: [tool({ parameters: { type: 'object', properties: { file_id: { type: 'string' } } } })] },
  { tools: [tool({ parameters: { properties: { container: { const: 'gs://bucket' } }, file_ids: ['a'] } })] },
  { tools: [tool({ description: 'gs://bucket/ is where files lie, by their file_id.' })] },
  { tools: [{ type: 'custom', custom: { name: 'f', format: { definition: 'gs://[a-z]+' } } }] },
  { extra: { functions: [{ name: 'f', parameters: { properties: { file_id: {} } } }] } },
  { toolChoice: { type: 'function', function: { name: 'file_id' } } },
  {
    responseFormat: {
      type: 'json_schema',
      json_schema: { name: 'x', schema: { file_id: { type: 'string' } } },
    },
  },
  { extra: { metadata: { file_id: 'gs://bucket/1' }, safety_identifier: 'gs://x', logit_bias: { '1': 2 } } },
  { extra: { prediction: { type: 'content', content: 'gs://bucket/file' } } },
  { stop: ['gs://'], user: 'auth://1', promptCacheKey: 'ms://1' },
  withMessage({ role: 'user', content: 'gs://bucket/file is a file_id.' }),
  withMessage({ role: 'user', content: [{ type: 'text', text: 'ms://file-1' }] }),
  withMessage({ role: 'system', content: 'Write fileid:// before each id.' }),
  withMessage({ role: 'tool', tool_call_id: 'mcp://server/1', content: '{"file_id":"1","uri":"gs://b/1"}' }),
  withMessage({ role: 'assistant', content: null, refusal: 'gs://bucket is not mine.' }),
  withMessage({ role: 'assistant', content: 'a', reasoning_content: 'gs://bucket' }),
  withMessage({
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 'c', type: 'function', function: { name: 'f', arguments: '{"file_id":"1","uri":"gs://b/1"}' } },
    ],
  }),
  withMessage({ role: 'assistant', content: null, function_call: { name: 'f', arguments: 'gs://b/1' } }),
])("what people, models and the caller's own programs write is not: %j", (more) => {
  expect(findAccountName(chatRequest(more))).toBeUndefined()
})

function tool(definition: object): NonNullable<ChatRequest['tools']>[number] {
  return { type: 'function', function: { name: 'f', ...definition } }
}

test('a path of any length is shown in 200 characters', () => {
  const param = paramOf([{ type: 'x', ['x'.repeat(10_000)]: { file_id: 'f' } }])
  expect(param?.length).toBe(200)
})

test.each<[string, JsonObject]>([
  ['input[0].content[0].file_id', { input: [{ role: 'user', content: [{ type: 'x', file_id: 'file-1' }] }] }],
  ['input[0].output[0].file_id', { input: [{ type: 'x', output: [{ file_id: 'file-1' }] }] }],
  ['tools[0].container', { tools: [{ type: 'x', container: 'cntr_1' }] }],
  ['container', { container: { id: 'cntr_1' } }],
])('what names something in a body that is passed on is found: %s', (param, body) => {
  const source = { format: 'openai-responses', body, headers: {} }
  expect(findAccountName(chatRequest({ source }))?.param).toBe(param)
})

test.each<JsonObject>([
  { input: 'gs://bucket/file' },
  { input: [{ type: 'custom_tool_call', input: 'file_id: gs://bucket/file' }] },
  { input: [{ type: 'function_call', arguments: '{"file_id":"1"}' }] },
  { input: [{ role: 'user', content: [{ type: 'x', input: { file_id: '1' } }] }] },
  { metadata: { file_id: '1' }, logit_bias: { file_id: 1 } },
])("what a body has of the caller's own is not: %j", (body) => {
  const source = { format: 'openai-responses', body, headers: {} }
  expect(findAccountName(chatRequest({ source }))).toBeUndefined()
})
