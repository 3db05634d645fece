import type { JsonObject } from '../../core/json.ts'

/** A request to `POST /v1/chat/completions` and what comes back: shown in the reference, sent by a test. */
export interface ChatExample {
  /** Also its key in the OpenAPI document. */
  readonly name: string
  readonly summary: string
  readonly request: JsonObject
  /** JSON, or the text of a stream. */
  readonly response: JsonObject | string
}

const MODEL = 'acme/chat-1'
const ID = 'chatcmpl-01K8XJ5M7QZ3V9T4B6N2C1D0FG'
const CREATED = 1_795_176_000

const WEATHER_TOOL: JsonObject = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather in a city now.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' } },
      required: ['city'],
    },
  },
}

const WEATHER_CALL: JsonObject = {
  id: 'call_1',
  type: 'function',
  function: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
}

const QUESTION: JsonObject = { role: 'user', content: 'What is the weather in Oslo?' }

export const CHAT_EXAMPLES: readonly ChatExample[] = [
  {
    name: 'text',
    summary: 'A question and its answer',
    request: {
      model: MODEL,
      messages: [
        { role: 'system', content: 'Answer in one word.' },
        { role: 'user', content: 'What is the capital of France?' },
      ],
    },
    response: completion({ content: 'Paris.' }),
  },
  {
    name: 'stream',
    summary: 'The same as a stream, with usage',
    request: {
      model: MODEL,
      messages: [{ role: 'user', content: 'What is the capital of France?' }],
      stream: true,
      stream_options: { include_usage: true },
    },
    response: [
      chunk({ delta: { role: 'assistant', content: '' }, finish_reason: null }),
      chunk({ delta: { content: 'Paris' }, finish_reason: null }),
      chunk({ delta: { content: '.' }, finish_reason: null }),
      chunk({ delta: {}, finish_reason: 'stop' }),
      `data: ${JSON.stringify({ ...chunkHead(), choices: [], usage: usage() })}\n\n`,
      'data: [DONE]\n\n',
    ].join(''),
  },
  {
    name: 'tool_call',
    summary: 'The model calls a function',
    request: { model: MODEL, messages: [QUESTION], tools: [WEATHER_TOOL] },
    response: completion({ content: null, tool_calls: [WEATHER_CALL] }, 'tool_calls'),
  },
  {
    name: 'tool_result',
    summary: 'The result of the function goes back to the model',
    request: {
      model: MODEL,
      messages: [
        QUESTION,
        { role: 'assistant', content: null, tool_calls: [WEATHER_CALL] },
        { role: 'tool', tool_call_id: 'call_1', content: '{"celsius": -3, "sky": "clear"}' },
      ],
      tools: [WEATHER_TOOL],
    },
    response: completion({ content: 'It is -3 °C in Oslo, with a clear sky.' }),
  },
  {
    name: 'json_schema',
    summary: 'An answer that follows a JSON schema',
    request: {
      model: MODEL,
      messages: [{ role: 'user', content: 'Name a city and its country.' }],
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'place',
          strict: true,
          schema: {
            type: 'object',
            properties: { city: { type: 'string' }, country: { type: 'string' } },
            required: ['city', 'country'],
            additionalProperties: false,
          },
        },
      },
    },
    response: completion({ content: '{"city":"Oslo","country":"Norway"}' }),
  },
  {
    name: 'image',
    summary: 'A question about an image',
    request: {
      model: MODEL,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What colour is this?' },
            {
              type: 'image_url',
              image_url: {
                url: 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
              },
            },
          ],
        },
      ],
      max_completion_tokens: 50,
    },
    response: completion({ content: 'Red.' }),
  },
]

function completion(message: JsonObject, finishReason = 'stop'): JsonObject {
  const { content = null, ...others } = message
  return {
    id: ID,
    object: 'chat.completion',
    created: CREATED,
    model: MODEL,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content, refusal: null, ...others },
        logprobs: null,
        finish_reason: finishReason,
      },
    ],
    usage: usage(),
  }
}

function chunk(choice: JsonObject): string {
  return `data: ${JSON.stringify({ ...chunkHead(), choices: [{ index: 0, ...choice }], usage: null })}\n\n`
}

function chunkHead(): JsonObject {
  return { id: ID, object: 'chat.completion.chunk', created: CREATED, model: MODEL }
}

function usage(): JsonObject {
  return {
    prompt_tokens: 9,
    completion_tokens: 12,
    total_tokens: 21,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0 },
  }
}
