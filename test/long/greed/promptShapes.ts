import type { JsonObject } from '../../../src/core/json.ts'
import type { SeededRandom } from '../../support/seededRandom.ts'
import type { Greed, Reply } from './greed.ts'
import { IMAGE_TOKENS, OPEN, TIERED } from './market.ts'
import { TONGUES, proseOf } from './words.ts'

const PLAIN = { kind: 'plain' } as const
const PROMPT_WORDS_MAX = 400
const ARGUMENTS_DEPTH_MAX = 40
/** Of a provider that reports a bit more than o200k counts: it has a tokenizer of its own, or words around messages. */
const REPORTED_ABOVE = 1.02
const IMAGE_URL = 'data:image/png;base64,iVBORw0KGgo='
const DOCUMENT_URL = 'data:application/pdf;base64,JVBERi0='

type Hidden = Pick<Greed, 'body' | 'messages'> & { readonly mediaTokens?: number }

/** Prompts whose weight stands where a gateway may not look. Their output is small: the hold must cover all of it. */
export const PROMPT_SHAPES: Readonly<Record<string, (random: SeededRandom) => Hidden>> = {
  'prompt in a schema': (random) => ({
    body: {
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'a',
          schema: { type: 'object', properties: { a: { description: proseOf(random, words(random)) } } },
        },
      },
    },
  }),
  'prompt in functions': (random) => ({
    body: {
      functions: [
        { name: 'f', description: proseOf(random, words(random)), parameters: deep(random, 'object') },
      ],
    },
  }),
  'prompt in tools': (random) => ({
    body: {
      tools: [
        {
          type: 'function',
          function: { name: 'f', description: proseOf(random, words(random)), parameters: deep(random, 'x') },
        },
        { type: 'custom', custom: { name: 'c', description: proseOf(random, words(random)) } },
      ],
    },
  }),
  'prompt in unknown parts': (random) => ({
    body: {},
    messages: [
      {
        role: 'user',
        content: [{ type: 'mystery', said: [proseOf(random, words(random))], depth: deep(random, 1) }],
      },
      { role: 'user', content: 'x', mood: { why: proseOf(random, words(random)) } },
    ],
  }),
  'prompt in images': (random) => {
    const images = random.integer(1, 3)
    const part = { type: 'image_url', image_url: { url: IMAGE_URL, detail: 'high' } }
    return {
      body: {},
      messages: [{ role: 'user', content: Array.from({ length: images }, () => part) }],
      mediaTokens: random.integer(85, images * IMAGE_TOKENS),
    }
  },
  'prompt in a document': (random) => ({
    body: {},
    messages: [
      { role: 'user', content: [{ type: 'file', file: { filename: 'a.pdf', file_data: DOCUMENT_URL } }] },
    ],
    mediaTokens: random.integer(1, 20_000),
  }),
  'prompt in custom calls': (random) => ({
    body: {},
    messages: Array.from({ length: random.integer(1, 6) }, (_, at) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: `call_${at}`, type: 'custom', custom: { name: 'patch', input: proseOf(random, 60) } },
        ],
      },
      { role: 'tool', tool_call_id: `call_${at}`, content: proseOf(random, 30) },
    ]).flat(),
  }),
  'prompt in deep arguments': (random) => ({
    body: {},
    messages: [
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'call_1',
            type: 'function',
            function: { name: 'f', arguments: JSON.stringify(deep(random, proseOf(random, 50))) },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: JSON.stringify(deep(random, 'y')) },
    ],
  }),
  'prompt in words for the model': (random) => ({
    body: {
      prediction: { type: 'content', content: proseOf(random, words(random)) },
      metadata: { a: proseOf(random, 20) },
      stop: ['\n\n', 'END'],
    },
  }),
}

export function hiddenPrompt(shape: string, random: SeededRandom): Greed {
  const { mediaTokens, ...hidden } = PROMPT_SHAPES[shape]?.(random) ?? { body: {} }
  const reply: Reply = {
    words: TONGUES.english,
    tokens: random.integer(1, 20),
    wordsEach: random.integer(1, 5),
    obeys: true,
    ...(mediaTokens !== undefined && { mediaTokens }),
    ...(random.chance(0.3) && {
      reports: (truth) => {
        const prompt_tokens = Math.floor(truth.prompt_tokens * REPORTED_ABOVE)
        return { ...truth, prompt_tokens, total_tokens: prompt_tokens + truth.completion_tokens }
      },
    }),
  }
  const model = random.chance(0.3) ? TIERED : OPEN
  const body = { ...hidden.body, stream: random.chance(0.5), max_tokens: 32 }
  return { ...hidden, shape, model, body, reply, manner: PLAIN, covered: true }
}

function words(random: SeededRandom): number {
  return random.integer(1, PROMPT_WORDS_MAX)
}

/** Objects and lists around a value. */
function deep(random: SeededRandom, core: string | number): JsonObject {
  let value: JsonObject = { value: core }
  const depth = random.integer(0, ARGUMENTS_DEPTH_MAX)
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? { properties: value } : { list: [value, i] }
  return value
}
