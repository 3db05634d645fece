import { z } from 'zod'

/** Contract, "Chat completion request" and its neighbours: for the OpenAPI document only; `/v1` has its own decoder. */

const Message = z
  .looseObject({
    role: z.enum(['system', 'user', 'assistant', 'developer', 'tool']),
    content: z
      .union([z.string(), z.array(z.looseObject({ type: z.string() }))])
      .nullable()
      .optional()
      .meta({ description: 'Text, or a list of content parts.' }),
    name: z.string().optional().meta({ description: 'Name of the author.' }),
  })
  .meta({ id: 'Message' })

const providerNames = z.array(z.string()).max(32).nullable().optional()
const maxPrice = z.union([z.number(), z.string()]).nullable().optional()

const ProviderPreferences = z
  .looseObject({
    order: providerNames.meta({ description: 'Providers to try first, in this order.' }),
    only: providerNames.meta({ description: 'The only providers to use.' }),
    ignore: providerNames.meta({ description: 'Providers not to use.' }),
    allow_fallbacks: z
      .boolean()
      .nullable()
      .optional()
      .meta({ description: 'False: only what `order` names, or else the first candidate of each model.' }),
    sort: z.enum(['price', 'latency', 'throughput']).nullable().optional(),
    max_price: z
      .looseObject({ prompt: maxPrice, completion: maxPrice })
      .nullable()
      .optional()
      .meta({ description: 'The dearest acceptable prices, in US dollars per 1,000,000 tokens.' }),
  })
  .meta({ id: 'ProviderPreferences' })

export const ChatCompletionRequest = z
  .looseObject({
    model: z.string().meta({ description: 'Model identifier or alias.', example: 'acme/chat-1' }),
    messages: z.array(Message).min(1).meta({ description: 'Conversation so far.' }),
    temperature: z.number().min(0).max(2).nullable().optional().meta({ description: '0 to 2. Default 1.0.' }),
    max_tokens: z
      .int()
      .min(1)
      .nullable()
      .optional()
      .meta({ description: 'Most tokens per choice. Default: no limit.' }),
    top_p: z.number().min(0).max(1).nullable().optional().meta({ description: '0 to 1. Default 1.0.' }),
    frequency_penalty: z
      .number()
      .min(-2)
      .max(2)
      .nullable()
      .optional()
      .meta({ description: '-2.0 to 2.0. Default 0.' }),
    presence_penalty: z
      .number()
      .min(-2)
      .max(2)
      .nullable()
      .optional()
      .meta({ description: '-2.0 to 2.0. Default 0.' }),
    stop: z
      .union([z.string(), z.array(z.string()).max(16)])
      .nullable()
      .optional()
      .meta({ description: 'Up to four stop sequences; up to 16 where the model takes them.' }),
    stream: z
      .boolean()
      .nullable()
      .optional()
      .meta({ description: 'True: the answer is a stream of events.' }),
    stream_options: z
      .looseObject({ include_usage: z.boolean().optional() })
      .nullable()
      .optional()
      .meta({ description: 'With `include_usage` a chunk with the usage comes before `[DONE]`.' }),
    n: z
      .int()
      .min(1)
      .max(128)
      .nullable()
      .optional()
      .meta({ description: 'Choices to generate, 1 to 128; all of them are charged.' }),
    user: z
      .string()
      .max(512)
      .nullable()
      .optional()
      .meta({ description: 'Identifier of the end-user, at most 512 characters; kept in the receipt.' }),
    prompt_cache_key: z
      .string()
      .nullable()
      .optional()
      .meta({ description: 'Requests with the same key go to the same target, whose prompt cache is warm.' }),
    models: providerNames.meta({
      description: 'Further models, tried in this order when the one before cannot answer.',
    }),
    provider: ProviderPreferences.nullable()
      .optional()
      .meta({ description: 'Where the request may go; never forwarded.' }),
  })
  .meta({
    id: 'ChatCompletionRequest',
    description:
      'Other fields of the OpenAI chat completions interface (tools, response_format, seed, …) are carried to providers that can take them.',
  })

const FinishReason = z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'function_call'])

const ChatUsage = z
  .looseObject({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() })
  .meta({ id: 'ChatUsage' })

export const ChatCompletion = z
  .looseObject({
    id: z.string().meta({ description: 'Also the value of `X-Request-ID`.' }),
    object: z.literal('chat.completion'),
    created: z.int().meta({ description: 'Unix seconds.' }),
    model: z.string(),
    choices: z.array(
      z.looseObject({
        index: z.int(),
        message: z.looseObject({ role: z.literal('assistant'), content: z.string().nullable() }),
        finish_reason: FinishReason,
      }),
    ),
    usage: ChatUsage,
  })
  .meta({ id: 'ChatCompletion' })

export const ChatCompletionChunk = z
  .looseObject({
    id: z.string().meta({ description: 'The same in all chunks of one stream.' }),
    object: z.literal('chat.completion.chunk'),
    created: z.int(),
    model: z.string(),
    choices: z.array(
      z.looseObject({
        index: z.int(),
        delta: z.looseObject({ role: z.literal('assistant').optional(), content: z.string().optional() }),
        finish_reason: FinishReason.nullable(),
      }),
    ),
    usage: ChatUsage.nullable().optional(),
  })
  .meta({ id: 'ChatCompletionChunk' })

export const Model = z
  .object({
    id: z.string().meta({ example: 'acme/chat-1' }),
    object: z.literal('model'),
    created: z.int().meta({ description: 'Unix seconds.' }),
    owned_by: z.string().meta({ description: 'Lowercase provider name.' }),
  })
  .meta({ id: 'Model' })

export const ModelList = z
  .object({ object: z.literal('list'), data: z.array(Model) })
  .meta({ id: 'ModelList' })
