import { z } from 'zod'
import { Message } from './messageSchema.ts'

/** A chat completion request with all of OpenAI's fields: for the OpenAPI document only; `/v1` has its own decoder. */

const providerNames = z.array(z.string()).max(32).nullable().optional()
const maxPrice = z.union([z.number(), z.string()]).nullable().optional()
const text = z.string().nullable().optional()
const flag = z.boolean().nullable().optional()
const object = z.looseObject({}).nullable().optional()
/** Beyond the integers that a double holds, too: `core/exactNumber.ts`. */
const Int64 = z.number().meta({ type: 'integer', format: 'int64' })
const penalty = z.number().min(-2).max(2).nullable().optional()

const ProviderPreferences = z
  .looseObject({
    order: providerNames.meta({ description: 'Providers to try first, in this order.' }),
    only: providerNames.meta({ description: 'The only providers to use.' }),
    ignore: providerNames.meta({ description: 'Providers not to use.' }),
    allow_fallbacks: flag.meta({
      description:
        '`false`: only the providers in `order`; without `order` only the first target of each model.',
    }),
    sort: z.enum(['price', 'latency', 'throughput']).nullable().optional().meta({
      description: 'Which target to try first. Default: the strategy of the model.',
    }),
    max_price: z
      .looseObject({ prompt: maxPrice, completion: maxPrice })
      .nullable()
      .optional()
      .meta({ description: 'The highest acceptable prices, in US dollars per 1,000,000 tokens.' }),
  })
  .meta({ id: 'ProviderPreferences' })

const Tool = z
  .looseObject({
    type: z.string().meta({ description: '`function` or `custom`.' }),
    function: z
      .looseObject({
        name: z.string(),
        description: z.string().nullable().optional(),
        parameters: z.looseObject({}).nullable().optional().meta({ description: 'A JSON schema.' }),
        strict: z.boolean().nullable().optional().meta({ description: 'Follow the schema exactly.' }),
      })
      .optional(),
    custom: z
      .looseObject({
        name: z.string(),
        description: z.string().nullable().optional(),
        format: z.looseObject({}).nullable().optional().meta({
          description:
            '`{"type": "text"}`, or a grammar. A provider without custom tools reads it as advice.',
        }),
      })
      .optional()
      .meta({ description: 'A tool that is called with any text.' }),
  })
  .meta({ id: 'Tool' })

const ToolChoice = z.union([
  z.enum(['none', 'auto', 'required']),
  z.looseObject({
    type: z
      .string()
      .meta({ description: '`function`, `custom`, or `allowed_tools` where the model takes it.' }),
    function: z.looseObject({ name: z.string() }).optional(),
  }),
])

const ResponseFormat = z
  .looseObject({
    type: z.string().meta({ description: '`text`, `json_object` or `json_schema`.' }),
    json_schema: z
      .looseObject({
        name: z.string(),
        description: z.string().nullable().optional(),
        schema: z.looseObject({}).nullable().optional().meta({ description: 'A JSON schema.' }),
        strict: z.boolean().nullable().optional(),
      })
      .optional()
      .meta({ description: 'With the type `json_schema`.' }),
  })
  .meta({ id: 'ResponseFormat' })

/** What the gateway reads and checks. */
const checked = {
  model: z.string().meta({ description: 'Id or alias of a model.', example: 'acme/chat-1' }),
  messages: z.array(Message).min(1).meta({ description: 'The conversation so far.' }),
  max_completion_tokens: z.int().min(1).nullable().optional().meta({
    description:
      'The most tokens of each choice, reasoning included. Default: the `max_output_tokens` of the model.',
  }),
  max_tokens: z
    .int()
    .min(1)
    .nullable()
    .optional()
    .meta({ description: 'Older name of `max_completion_tokens`, which wins where both are given.' }),
  temperature: z.number().min(0).max(2).nullable().optional().meta({ description: '0 to 2. Default 1.' }),
  top_p: z.number().min(0).max(1).nullable().optional().meta({ description: '0 to 1. Default 1.' }),
  frequency_penalty: penalty.meta({ description: '-2 to 2. Default 0.' }),
  presence_penalty: penalty.meta({ description: '-2 to 2. Default 0.' }),
  stop: z
    .union([z.string(), z.array(z.string()).max(16)])
    .nullable()
    .optional()
    .meta({ description: 'Up to 4 stop sequences; up to 16 where the model takes them.' }),
  n: z
    .int()
    .min(1)
    .max(128)
    .nullable()
    .optional()
    .meta({ description: 'How many choices, 1 to 128. You pay for all of them. Default 1.' }),
  stream: flag.meta({ description: '`true`: the response is a stream of server-sent events.' }),
  stream_options: z
    .looseObject({
      include_usage: z
        .boolean()
        .nullable()
        .optional()
        .meta({ description: '`true`: a chunk with the usage comes before `[DONE]`.' }),
    })
    .nullable()
    .optional()
    .meta({ description: 'Only with `stream`.' }),
  tools: z.array(Tool).nullable().optional().meta({ description: 'Functions that the model may call.' }),
  tool_choice: ToolChoice.nullable().optional().meta({
    description: '`none`, `auto` (default with tools), `required`, or one function by its name.',
  }),
  parallel_tool_calls: flag.meta({ description: '`false`: at most one tool call in a response.' }),
  response_format: ResponseFormat.nullable()
    .optional()
    .meta({ description: 'Text, any JSON object, or JSON that follows a schema.' }),
  reasoning_effort: text.meta({
    description:
      'How much a reasoning model thinks: `none`, `minimal`, `low`, `medium`, `high`, as the model takes it.',
  }),
  seed: Int64.nullable().optional().meta({
    description: 'Same seed, similar response. An integer of at most 64 bits, which keeps all its digits.',
  }),
  logprobs: flag.meta({ description: '`true`: the response has the log probability of each token.' }),
  top_logprobs: z
    .int()
    .min(0)
    .max(20)
    .nullable()
    .optional()
    .meta({ description: 'Alternatives per token, 0 to 20.' }),
  user: z
    .string()
    .max(512)
    .nullable()
    .optional()
    .meta({ description: 'Your id of the end user, at most 512 characters. It is kept in the receipt.' }),
  prompt_cache_key: text.meta({
    description: 'Requests with the same key go to the same target, so that its prompt cache is used.',
  }),
  models: providerNames.meta({
    description: 'Further models, tried in this order when the model before cannot answer.',
  }),
  provider: ProviderPreferences.nullable()
    .optional()
    .meta({ description: 'Which providers may answer. It is not sent to providers.' }),
}

/** What goes to providers of the OpenAI format as it came. */
const passed = {
  logit_bias: object.meta({ description: 'Token id → bias, -100 to 100.' }),
  metadata: object.meta({ description: 'Your labels of the request.' }),
  modalities: z
    .array(z.string())
    .nullable()
    .optional()
    .meta({ description: 'Kinds of output, such as `text`.' }),
  audio: object.meta({ description: 'Settings of audio output.' }),
  prediction: object.meta({ description: 'Expected output, to answer faster.' }),
  verbosity: text.meta({ description: '`low`, `medium` or `high`.' }),
  web_search_options: object.meta({ description: 'Web search by the provider.' }),
  service_tier: text.meta({ description: 'Processing tier at the provider.' }),
  store: flag.meta({ description: 'Whether the provider may store the response.' }),
  safety_identifier: text.meta({ description: 'Your hashed id of the end user, for the provider.' }),
  prompt_cache_options: object.meta({ description: 'Settings of the prompt cache.' }),
  prompt_cache_retention: text.meta({ description: 'How long the prompt cache lives.' }),
  moderation: object.meta({ description: 'Settings of moderation.' }),
  functions: z
    .array(z.looseObject({}))
    .nullable()
    .optional()
    .meta({ description: 'Deprecated: use `tools`.' }),
  function_call: z
    .union([z.string(), z.looseObject({})])
    .nullable()
    .optional()
    .meta({ description: 'Deprecated: use `tool_choice`.' }),
}

export const ChatCompletionRequest = z.looseObject({ ...checked, ...passed }).meta({
  id: 'ChatCompletionRequest',
  description:
    'What a model or a provider cannot take is either refused with 400 or left out and named in the header `x-tollgate-dropped-fields`. Fields that are not listed here are left out and named there, too.',
})
