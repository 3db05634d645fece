import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { anyJson } from '../../../test/support/chatArbitraries.ts'
import { chatRequest } from '../../../test/support/chatSamples.ts'
import type { Json } from '../json.ts'
import { promptSizeOf } from '../promptSize.ts'
import { estimateTokens } from '../tokenEstimate.ts'
import type { ChatRequest, ContentPart, Message } from './request.ts'
import { walkPrompt } from './walkPrompt.ts'

/** Every field of a request that there is: the type makes sure that none is forgotten here. */
const FULL: Required<Omit<ChatRequest, 'source' | 'makers' | 'leftOut' | 'nativeOnly'>> = {
  model: 'm',
  reasons: true,
  unmodelled: ['x'],
  toolsElsewhere: ['x'],
  messages: [
    { role: 'system', content: 'x', name: 'x' },
    { role: 'user', content: [{ type: 'text', text: 'x', cache_control: { type: 'x' }, x: 'x' }], x: ['x'] },
    {
      role: 'assistant',
      content: null,
      refusal: 'x',
      reasoning_content: 'x',
      reasoning_details: [{ type: 'x', text: 'x', signature: 'x', data: 'x', id: 'x', x: 'x' }],
      tool_calls: [
        { id: 'x', type: 'function', function: { name: 'x', arguments: 'x' } },
        { id: 'x', type: 'custom', custom: { name: 'x', input: 'x' } } as never,
      ],
      function_call: { name: 'x', arguments: 'x' },
      annotations: [{ type: 'x', x: { x: 'x' } }],
    },
    { role: 'tool', tool_call_id: 'x', content: [{ type: 'x', x: 'x', content: [{ type: 'x', x: 'x' }] }] },
    { role: 'function', name: 'x', content: [{ type: 'refusal', refusal: 'x' }] },
  ],
  n: 1,
  stream: true,
  includeUsage: true,
  maxTokens: 1,
  temperature: 1,
  topP: 1,
  frequencyPenalty: 0,
  presencePenalty: 0,
  stop: ['x', 'x'],
  seed: 1,
  user: 'x',
  logprobs: true,
  topLogprobs: 1,
  tools: [
    { type: 'function', function: { name: 'x', description: 'x', parameters: { x: ['x'] } }, x: 'x' },
    { type: 'x', x: { x: 'x' } },
  ],
  toolChoice: { type: 'x', x: ['x'] },
  parallelToolCalls: true,
  responseFormat: { type: 'x', json_schema: { name: 'x', description: 'x', schema: { x: 'x' } } },
  reasoningEffort: 'x',
  promptCacheKey: 'x',
  routing: { models: ['m'] },
  unknownFields: ['y'],
  extra: {
    functions: [{ name: 'x', description: 'x', parameters: { x: 'x' } }],
    function_call: { name: 'x' },
    prediction: { type: 'x', content: [{ type: 'x', text: 'x' }] },
    web_search_options: { x: 'x' },
    metadata: { x: 'x' },
    verbosity: 'x',
  },
}

const LONG = ' the morning ferry crosses the strait'.repeat(30)
const LONG_TOKENS = estimateTokens(LONG)

function estimateOf(request: ChatRequest): number {
  return promptSizeOf(request).textTokens
}

function textsOf(request: ChatRequest): string[] {
  const texts: string[] = []
  const skip = () => undefined
  const text = (text: string) => void texts.push(text)
  walkPrompt(request, { message: skip, item: skip, text, image: skip, audio: skip, document: skip })
  return texts
}

/** The value once for each `x` in it, with that one replaced by a long text: values, then names. */
function withLongTexts(value: Json): Json[] {
  if (value === 'x') return [LONG]
  if (typeof value !== 'object' || value === null) return []
  const entries = Object.entries(value as Readonly<Record<string, Json>>)
  return entries.flatMap(([name, field], at) => {
    const make = (changed: readonly [string, Json]): Json => {
      const changedEntries = entries.with(at, [...changed])
      return Array.isArray(value)
        ? changedEntries.map(([, item]) => item)
        : Object.fromEntries(changedEntries)
    }
    const renamed = name === 'x' ? [make([LONG, field])] : []
    return [...withLongTexts(field).map((longer) => make([name, longer])), ...renamed]
  })
}

describe('whatever a request carries to a provider is counted', () => {
  const least = estimateOf(FULL)
  const variants = withLongTexts(FULL as unknown as Json) as unknown as ChatRequest[]

  test('in every field of a full request, by the estimate and by our own count', () => {
    expect(variants.length).toBeGreaterThan(60)
    for (const longer of variants) {
      expect(estimateOf(longer) - least).toBeGreaterThanOrEqual(LONG_TOKENS - estimateTokens('x'))
      expect(textsOf(longer)).toContain(LONG)
    }
  })

  test('in every top-level field but those that no model reads', () => {
    const counted = Object.keys(FULL).filter((name) => {
      const longer = { ...FULL, [name]: name === 'messages' ? [{ role: 'user', content: LONG }] : [LONG] }
      return textsOf(longer).includes(LONG)
    })
    const neverRead = ['model', 'reasons', 'n', 'stream', 'includeUsage', 'routing', 'unknownFields']
    expect(counted).toEqual(Object.keys(FULL).filter((name) => !neverRead.includes(name)))
  })

  test('in a field that is added to requests later', () => {
    const later = { ...FULL, later: { deep: [{ down: LONG }] } }
    expect(estimateOf(later) - least).toBeGreaterThanOrEqual(LONG_TOKENS)
  })
})

function user(...content: ContentPart[]): ChatRequest {
  return chatRequest({ messages: [{ role: 'user', content }] })
}

function image(url: string, more: object = {}): ContentPart {
  return { type: 'image_url', image_url: { url, ...more } }
}

const DATA = 'iVBORw0KGgo='.repeat(10_000)
const PNG = `data:image/png;base64,${DATA}`
const SMALL = 200

describe('an image', () => {
  test.each([
    ['inline', PNG],
    ['inline, in capitals', `DATA:IMAGE/PNG;BASE64,${DATA}`],
    ['at an address', 'https://example.com/a.png'],
  ])('%s counts as one image, and its data as nothing else', (_, url) => {
    const size = promptSizeOf(user(image(url)))
    expect(size).toMatchObject({ images: 1, audioTokens: 0, unfolds: false })
    expect(size.textTokens).toBeLessThan(SMALL)
  })

  test('counts for each part, and within the parts of a tool result', () => {
    expect(promptSizeOf(user(image(PNG), image(PNG))).images).toBe(2)
    const result: Message = { role: 'tool', tool_call_id: 'c', content: [image(PNG)] }
    expect(promptSizeOf(chatRequest({ messages: [result] })).images).toBe(1)
    const nested = { type: 'tool_result', content: [image(PNG), { type: 'text', text: 'x' }] }
    expect(promptSizeOf(user(nested as unknown as ContentPart)).images).toBe(1)
    const terse = { type: 'tool_result', content: [{ type: 'image_url', image_url: PNG }] }
    expect(promptSizeOf(user(terse)).images).toBe(1)
  })
})

describe('text that hides beside media counts as text', () => {
  test.each<[string, ContentPart]>([
    ['a text beside an image', { ...image(PNG), text: LONG }],
    ['the detail of an image', image(PNG, { detail: LONG })],
    ['a field that no image has', image(PNG, { note: { deep: [LONG] } })],
    ['the name of a field', image(PNG, { [LONG]: 1 })],
    ['the parameters of a data URL', image(`data:image/png;x=${LONG};base64,AAAA`)],
    ['a data URL that is not base64', image(`data:image/png,${LONG}`)],
    ['an address', image(`https://example.com/${LONG}`)],
    ['an address of no kind', image(LONG)],
    ['a text beside audio', { type: 'input_audio', input_audio: { data: 'AAAA' }, text: LONG }],
    ['the format of audio', { type: 'input_audio', input_audio: { data: 'AAAA', format: LONG } }],
    ['a text beside a file', { type: 'file', file: { file_data: 'AAAA' }, text: LONG }],
    ['a file name', { type: 'file', file: { file_data: 'AAAA', filename: LONG } }],
    ['a part of unknown type', { type: 'x', text: LONG }],
    ['a part under its own name', { type: 'x', x: LONG }],
    ['a type', { type: LONG }],
    ['a type that names media', { type: `image ${LONG}` }],
    ['numbers', { type: 'x', x: Array.from({ length: 400 }, () => 0.123_456_789_012) }],
  ])('%s', (_, part) => {
    expect(promptSizeOf(user(part)).textTokens).toBeGreaterThanOrEqual(LONG_TOKENS)
  })
})

describe('what may be any number of tokens unfolds', () => {
  test.each<[string, ContentPart]>([
    ['a file', { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA' } }],
    ['a file by its id', { type: 'file', file: { file_id: 'file-1' } }],
    ['a document as an image', image('data:application/pdf;base64,AAAA')],
    ['a text as an image', image('data:text/plain;base64,AAAA')],
    ['a drawing', image('data:image/svg+xml;base64,AAAA')],
    ['a video as an image', image('https://www.youtube.com/watch?v=1')],
    ['an upload as an image', image('https://generativelanguage.googleapis.com/v1beta/files/1')],
    ['a stored object as an image', image('gs://bucket/film.mp4')],
    ['a file id as an image', image('file-1')],
    ['a video', { type: 'video_url', video_url: { url: 'https://example.com/film.mp4' } }],
    [
      'a document of another format',
      { type: 'document', source: { type: 'url', url: 'https://x.example/a' } },
    ],
    ['an image of another format', { type: 'image', source: { type: 'base64', data: DATA } }],
    ['media in a part of no known type', { type: 'x', inlineData: { data: DATA } }],
    ['media in a part of text', { type: 'text', text: 'x', image_url: { url: PNG } }],
    ['audio at an address', { type: 'input_audio', input_audio: { data: 'https://example.com/a.wav' } }],
    ['audio that may be silence', { type: 'input_audio', input_audio: { data: 'ZkxhQ', format: 'flac' } }],
  ])('%s', (_, part) => {
    expect(promptSizeOf(user(part)).unfolds).toBe(true)
  })

  test('an earlier answer that is named by its id', () => {
    const answer: Message = { role: 'assistant', audio: { id: 'audio_1' } }
    expect(promptSizeOf(chatRequest({ messages: [answer] })).unfolds).toBe(true)
  })

  test('but no field that is null', () => {
    const part = { type: 'text', text: 'x', image_url: null, file: null }
    expect(promptSizeOf(user(part)).unfolds).toBe(false)
    const answer: Message = { role: 'assistant', content: 'x', audio: null }
    expect(promptSizeOf(chatRequest({ messages: [answer] })).unfolds).toBe(false)
  })

  test('but neither text nor the schema of a tool that speaks of files', () => {
    const properties = { file: { type: 'file' }, image_url: { type: 'string' }, video: { type: 'object' } }
    const tools = [{ type: 'function', function: { name: 'show_image', parameters: { properties } } }]
    const messages: Message[] = [{ role: 'user', content: 'Read https://example.com/a.pdf' }]
    expect(promptSizeOf(chatRequest({ messages, tools })).unfolds).toBe(false)
  })
})

test('audio counts by the length of its data', () => {
  const audio = (data: string, format = 'mp3') =>
    promptSizeOf(user({ type: 'input_audio', input_audio: { data, format } }))
  expect(audio('AAAA')).toMatchObject({ images: 0, audioTokens: 1_600, unfolds: false })
  expect(audio('A'.repeat(320_000), 'wav').audioTokens).toBe(10_000)
  expect(audio('A'.repeat(320_000)).textTokens).toBeLessThan(SMALL)
})

test('no JSON at all makes it throw', () => {
  fc.assert(
    fc.property(anyJson, anyJson, anyJson, (first, second, third) => {
      const part = { type: 'image_url', image_url: first, input_audio: second, file: third }
      const types = ['image_url', 'input_audio', 'file', 'text', 'x']
      const content = [first, ...types.map((type) => ({ ...part, type, [type]: first, x: second }))]
      const messages = [
        { role: 'user', content },
        { role: 'assistant', content: second, tool_calls: third, x: first },
      ]
      const request = chatRequest({ messages, tools: second, extra: { x: third } } as never)
      expect(promptSizeOf(request).textTokens).toBeGreaterThan(0)
    }),
  )
})

test("a model's own image is held as an image, and what is none of them as a document", () => {
  const sizeOf = (role: 'assistant' | 'user', images: Json) =>
    promptSizeOf(chatRequest({ messages: [{ role, content: 'Here.', images }] }))
  const url = `data:image/png;base64,${'A'.repeat(100_000)}`
  const image = { type: 'image_url', image_url: { url }, index: 0 }
  for (const made of [image, { ...image, image_url: url }]) {
    const { images, unfolds, textTokens } = sizeOf('assistant', [made, made])
    expect({ images, unfolds }).toEqual({ images: 2, unfolds: false })
    expect(textTokens).toBeLessThan(100)
  }
  for (const odd of [[{ url }], [url], url, { image_url: { url } }])
    expect(sizeOf('assistant', odd).unfolds).toBe(true)
  expect(sizeOf('assistant', [{ image_url: { url: 'data:application/pdf;base64,QUJD' } }]).unfolds).toBe(true)
  expect(sizeOf('user', [image]).unfolds).toBe(true)
})
