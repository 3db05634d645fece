import type { JsonObject } from '../../../src/core/json.ts'
import {
  type Conversation,
  USAGE,
  answers,
  asks,
  calls,
  call,
  says,
  signedThought,
  tool,
  user,
} from '../conversation.ts'

const SCHEMA = {
  type: 'object',
  properties: { depth: { type: 'number' }, salty: { type: 'boolean' } },
  required: ['depth', 'salty'],
  additionalProperties: false,
}
const JSON_SCHEMA = { type: 'json_schema', json_schema: { name: 'sea', schema: SCHEMA, strict: true } }
const schemaOf = (depth: JsonObject) => ({
  type: 'json_schema',
  json_schema: {
    name: 'sea',
    schema: { ...SCHEMA, properties: { ...SCHEMA.properties, depth } },
    strict: true,
  },
})
const JSON_ANSWER = says('{"depth":3682,"salty":true}')

/** The form of the answer and how it ends. */
export const ANSWER_CONVERSATIONS: readonly Conversation[] = [
  asks('response_format: text', { response_format: { type: 'text' } }),
  asks('response_format: JSON schema', { response_format: JSON_SCHEMA }, JSON_ANSWER),
  asks('response_format: JSON object', { response_format: { type: 'json_object' } }, JSON_ANSWER),
  asks(
    'response_format: JSON schema with an object of any fields',
    { response_format: schemaOf({ type: 'object' }) },
    JSON_ANSWER,
  ),
  asks(
    'response_format: JSON schema that contains itself',
    { response_format: schemaOf({ anyOf: [{ $ref: '#' }, { type: 'null' }] }) },
    JSON_ANSWER,
  ),
  asks(
    'response_format: JSON schema beside tools',
    { response_format: JSON_SCHEMA, tools: [tool('weather')] },
    JSON_ANSWER,
  ),
  asks('stop sequences', { stop: ['END', '###'] }, says('So far and no')),
  asks('six stop sequences', { stop: ['END', '###', '---', '***', '===', '+++'] }, says('So far and no')),
  asks('a stop sequence of white space', { stop: '\n\n' }, says('So far and no')),
  asks('max_completion_tokens reached', { max_completion_tokens: 20 }, says('The sea is', {}, 'length')),
  asks('max_tokens', { max_tokens: 30 }),
  asks('max_tokens above the limit of the model', { max_tokens: 100_000 }),
  asks('an answer stopped by a content filter', {}, says('I cannot', {}, 'content_filter')),
  asks(
    'a refusal in words',
    {},
    answers([
      {
        index: 0,
        message: { role: 'assistant', content: null, refusal: 'I cannot help with that.' },
        finishReason: 'content_filter',
      },
    ]),
  ),
  asks('an empty answer', {}, says('')),
  asks('a long answer', {}, says('The sea is wide. '.repeat(400))),
  asks('logprobs', { logprobs: true }, withLogprobs(false)),
  asks('top_logprobs', { logprobs: true, top_logprobs: 2 }, withLogprobs(true)),
  asks(
    'several choices (n)',
    { n: 2 },
    answers(
      ['Blue.', 'Green.'].map((content, index) => ({
        index,
        message: { role: 'assistant', content },
        finishReason: 'stop',
      })),
    ),
  ),
  asks(
    'citations',
    {},
    says('The sea is salty.', {
      annotations: [
        {
          type: 'url_citation',
          url_citation: { url: 'https://example.com/salt', title: 'Salt', start_index: 0, end_index: 17 },
        },
      ],
    }),
  ),
  asks('cached prompt tokens', {}, answers(says('Blue.').choices, { ...USAGE, cachedTokens: 30 })),
  asks(
    'prompt tokens written to a cache',
    {},
    answers(says('Blue.').choices, { ...USAGE, cacheWriteTokens: 30 }),
  ),
]

const THOUGHT = 'The user asks about the sea. I know the sea.'
const CALL = call('call_Weather01', 'weather', { city: 'Kiel' })

/** Reasoning, shown and replayed. */
export const REASONING_CONVERSATIONS: readonly Conversation[] = [
  asks(
    'reasoning_effort: low',
    { reasoning_effort: 'low' },
    answers(says('Blue.', { reasoning_content: THOUGHT }).choices, { ...USAGE, reasoningTokens: 9 }),
  ),
  asks(
    'reasoning_effort: high, signed',
    { reasoning_effort: 'high' },
    says('Blue.', { reasoning_content: THOUGHT, reasoning_details: signedThought(THOUGHT) }),
  ),
  asks('reasoning_effort: none', { reasoning_effort: 'none' }),
  asks('reasoning_effort: minimal', { reasoning_effort: 'minimal' }),
  asks('reasoning_effort: max', { reasoning_effort: 'max' }),
  asks(
    'encrypted reasoning',
    {},
    says('Blue.', { reasoning_details: [{ type: 'reasoning.encrypted', data: 'c2VjcmV0' }] }),
  ),
  asks('signed reasoning replayed', {
    messages: [
      user('What colour is the sea?'),
      {
        role: 'assistant',
        content: 'Blue.',
        reasoning_content: THOUGHT,
        reasoning_details: signedThought(THOUGHT),
      },
      user('Why?'),
    ],
  }),
  asks(
    'signed reasoning replayed between a tool call and its result',
    {
      tools: [tool('weather')],
      reasoning_effort: 'high',
      messages: [
        user('What is the weather in Kiel?'),
        {
          role: 'assistant',
          content: 'Let me look.',
          tool_calls: [CALL],
          reasoning_content: THOUGHT,
          reasoning_details: signedThought(THOUGHT),
        },
        { role: 'tool', tool_call_id: CALL.id, content: 'blue' },
      ],
    },
    says('Blue.'),
  ),
  asks('unsigned reasoning replayed', {
    messages: [
      user('What colour is the sea?'),
      { role: 'assistant', content: 'Blue.', reasoning_content: THOUGHT },
      user('Why?'),
    ],
  }),
  asks(
    'signed tool calls',
    { tools: [tool('weather')] },
    answers([
      {
        index: 0,
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [CALL],
          reasoning_details: [{ type: 'reasoning.encrypted', id: CALL.id, data: 'c2lnbmVkIGNhbGw=' }],
        },
        finishReason: 'tool_calls',
      },
    ]),
  ),
  asks('signed tool calls replayed', {
    tools: [tool('weather')],
    messages: [
      user('What is the weather in Kiel?'),
      {
        role: 'assistant',
        content: null,
        tool_calls: [CALL],
        reasoning_details: [{ type: 'reasoning.encrypted', id: CALL.id, data: 'c2lnbmVkIGNhbGw=' }],
      },
      { role: 'tool', tool_call_id: CALL.id, content: 'blue' },
    ],
  }),
  asks(
    'signed reasoning before a tool call',
    { tools: [tool('weather')], reasoning_effort: 'medium' },
    answers([
      {
        index: 0,
        message: {
          ...calls([CALL]).choices[0]?.message,
          role: 'assistant',
          content: null,
          reasoning_content: THOUGHT,
          reasoning_details: signedThought(THOUGHT),
        },
        finishReason: 'tool_calls',
      },
    ]),
  ),
]

function withLogprobs(alternatives: boolean): Conversation['answer'] {
  const bytes = (token: string): number[] => [...new TextEncoder().encode(token)]
  const entry = (token: string, logprob: number) => ({ token, logprob, bytes: bytes(token) })
  const content = [
    { ...entry('Deep', -0.5), top_logprobs: alternatives ? [entry('Deep', -0.5), entry('Wide', -1.5)] : [] },
    {
      ...entry(' blue', -0.25),
      top_logprobs: alternatives ? [entry(' blue', -0.25), entry(' sea', -2)] : [],
    },
  ]
  return answers([
    {
      index: 0,
      message: { role: 'assistant', content: 'Deep blue' },
      finishReason: 'stop',
      logprobs: { content, refusal: null },
    },
  ])
}
