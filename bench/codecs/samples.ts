import type { AnswerEvent, Delta } from '../../src/core/answer/event.ts'
import type { FinishReason } from '../../src/core/answer/wholeAnswer.ts'
import type { WholeAnswer } from '../../src/core/answer/wholeAnswer.ts'
import type { Usage } from '../../src/core/usage.ts'

/** Deltas of one sample stream. */
export const CHUNKS = 400

const USAGE: Usage = {
  promptTokens: 900,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  completionTokens: CHUNKS,
  reasoningTokens: 0,
}

const WORDS = ['The', ' sea', ' is', ' wide', ',', ' deep', ' and', ' "salty"', '.\n', ' Überall', ' 海']

export function textEvents(): AnswerEvent[] {
  return stream(
    Array.from({ length: CHUNKS }, (_, i) => ({ content: wordAt(i) })),
    'stop',
  )
}

/** Thoughts, and one word of an answer. */
export function thoughtEvents(): AnswerEvent[] {
  const thoughts = Array.from({ length: CHUNKS }, (_, i) => ({ reasoning_content: wordAt(i) }))
  return stream([...thoughts, { content: 'Blue.' }], 'stop')
}

/** One call with long arguments. */
export function callEvents(): AnswerEvent[] {
  const pieces = ['{"text":"', ...Array.from({ length: CHUNKS - 2 }, (_, i) => `word ${i} `), '"}']
  const begin = {
    index: 0,
    id: 'call_1',
    type: 'function',
    function: { name: 'write', arguments: '' },
  } as const
  return stream(
    [
      { tool_calls: [begin] },
      ...pieces.map((piece) => ({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
    ],
    'tool_calls',
  )
}

export const WHOLE_ANSWER: WholeAnswer = {
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: Array.from({ length: CHUNKS }, (_, i) => wordAt(i)).join('') },
      finishReason: 'stop',
    },
  ],
  usage: USAGE,
  extra: {},
}

/** One question. */
export const SHORT_REQUEST = JSON.stringify({
  model: 'acme/chat-1',
  messages: [
    { role: 'system', content: 'You are a sailor.' },
    { role: 'user', content: 'Tell me about the sea.' },
  ],
  temperature: 0.5,
  max_tokens: 400,
  stream: true,
  stream_options: { include_usage: true },
})

/** Forty turns with ten tools, some of them called. */
export const LONG_REQUEST = JSON.stringify({
  model: 'acme/chat-1',
  messages: [
    { role: 'system', content: 'You are a sailor. '.repeat(20) },
    ...Array.from({ length: 10 }, (_, turn) => [
      { role: 'user', content: [{ type: 'text', text: `What is the weather in port ${turn}? `.repeat(5) }] },
      { role: 'assistant', content: null, tool_calls: [callAt(turn)] },
      { role: 'tool', tool_call_id: `call_${turn}`, content: '{"sky":"blue"}'.repeat(10) },
      { role: 'assistant', content: 'The sky is blue. '.repeat(10) },
    ]).flat(),
    { role: 'user', content: 'And tomorrow?' },
  ],
  tools: Array.from({ length: 10 }, (_, i) => toolAt(i)),
  tool_choice: 'auto',
  max_tokens: 400,
})

function stream(deltas: readonly Delta[], reason: FinishReason): AnswerEvent[] {
  return [
    { type: 'start' },
    ...deltas.map((delta): AnswerEvent => ({ type: 'delta', index: 0, delta })),
    { type: 'finish', index: 0, reason },
    { type: 'usage', usage: USAGE },
  ]
}

function wordAt(i: number): string {
  return WORDS[i % WORDS.length] ?? ''
}

function callAt(turn: number) {
  const given = JSON.stringify({ city: `port ${turn}`, days: [1, 2, 3] })
  return { id: `call_${turn}`, type: 'function', function: { name: 'tool_1', arguments: given } }
}

function toolAt(i: number) {
  return {
    type: 'function',
    function: {
      name: `tool_${i}`,
      description: 'Looks up the weather of a city for some days.',
      parameters: {
        type: 'object',
        properties: {
          city: { type: 'string', description: 'The name of the city.' },
          days: { type: 'array', items: { type: 'integer' } },
        },
        required: ['city'],
        additionalProperties: false,
      },
    },
  }
}
