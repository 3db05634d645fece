import { z } from 'zod'
import { ErrorObject } from './errorSchema.ts'

/** Anthropic's Messages, with the details of its format: for the OpenAPI document only. */

const Block = z.looseObject({ type: z.string() }).meta({ id: 'ContentBlock' })

/** What the gateway itself writes; a provider of the format may write more, which is passed on. */
const AnswerBlock = z
  .union([
    z.looseObject({
      type: z.literal('text'),
      text: z.string(),
      citations: z.array(z.looseObject({})).optional(),
    }),
    z.looseObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
    z.looseObject({ type: z.literal('redacted_thinking'), data: z.string() }),
    z.looseObject({
      type: z.literal('tool_use'),
      id: z.string(),
      name: z.string(),
      input: z.looseObject({}),
      caller: z.looseObject({ type: z.string() }).optional(),
    }),
    z
      .looseObject({ type: z.string().regex(/^(?!(?:text|thinking|redacted_thinking|tool_use)$).*$/) })
      .meta({ description: 'Further kinds, from a provider that speaks this format.' }),
  ])
  .meta({ id: 'AnswerBlock' })

const BlockDelta = z.union([
  z.looseObject({ type: z.literal('text_delta'), text: z.string() }),
  z.looseObject({ type: z.literal('thinking_delta'), thinking: z.string() }),
  z.looseObject({ type: z.literal('signature_delta'), signature: z.string() }),
  z.looseObject({ type: z.literal('citations_delta'), citation: z.looseObject({}) }),
  z.looseObject({ type: z.literal('input_json_delta'), partial_json: z.string() }),
  z
    .looseObject({
      type: z.string().regex(/^(?!(?:text|thinking|signature|citations|input_json)_delta$).*$/),
    })
    .meta({ description: 'Further kinds, from a provider that speaks this format.' }),
])

const Turn = z.looseObject({
  role: z.enum(['user', 'assistant', 'system']),
  content: z.union([z.string(), z.array(Block)]),
})

export const MessageRequest = z
  .looseObject({
    model: z.string().meta({ description: 'Id or alias of a model, of whatever provider.' }),
    max_tokens: z.int().min(1),
    messages: z.array(Turn).min(1),
    system: z.union([z.string(), z.array(Block)]).optional(),
    temperature: z.number().min(0).max(1).optional(),
    top_p: z.number().min(0).max(1).optional(),
    stop_sequences: z.array(z.string()).optional(),
    stream: z.boolean().optional(),
    metadata: z.looseObject({ user_id: z.string().optional() }).optional(),
    thinking: z.looseObject({ type: z.string() }).optional(),
    output_config: z.looseObject({ effort: z.string().optional() }).optional(),
    tools: z.array(z.looseObject({})).optional(),
    tool_choice: z.looseObject({ type: z.string() }).optional(),
  })
  .meta({
    id: 'MessageRequest',
    description:
      'What the provider of the model cannot take is left out, and named in `x-tollgate-dropped-fields`. A provider that speaks this format gets the body as it is.',
  })

export const MessageTokenCountRequest = MessageRequest.partial({ max_tokens: true }).meta({
  id: 'MessageTokenCountRequest',
  description: 'That of a message; `max_tokens` may be absent. Only what is a part of the prompt counts.',
})

export const MessageTokenCount = z
  .object({ input_tokens: z.int().meta({ example: 14 }) })
  .meta({ id: 'MessageTokenCount' })

const count = z.int().nullish()

const usage = {
  input_tokens: count.meta({ description: 'Without what the cache read or wrote.' }),
  cache_creation_input_tokens: count,
  cache_read_input_tokens: count,
  output_tokens: z.int(),
  output_tokens_details: z.looseObject({ thinking_tokens: count }).nullish(),
  server_tool_use: z.looseObject({}).nullish(),
}

const stopped = {
  stop_reason: z.string().nullable(),
  stop_sequence: z.string().nullable(),
  stop_details: z
    .looseObject({ type: z.string(), category: z.string().nullish(), explanation: z.string().nullish() })
    .nullish(),
  container: z.looseObject({ id: z.string() }).nullish(),
}

export const Message = z
  .looseObject({
    id: z.string().meta({ example: 'msg_01K8XJ5M7QZ3V9T4B6N2C1D0FG' }),
    type: z.literal('message'),
    role: z.literal('assistant'),
    model: z.string(),
    content: z.array(AnswerBlock),
    ...stopped,
    diagnostics: z.looseObject({}).nullish(),
    usage: z.looseObject({
      ...usage,
      cache_creation: z.looseObject({}).nullish(),
      inference_geo: z.string().nullish(),
      service_tier: z.string().nullish(),
      speed: z.string().nullish(),
    }),
  })
  .meta({
    id: 'MessageAnswer',
    description: 'A provider that speaks this format may send further fields, which are passed on.',
  })

const failed = {
  type: z.literal('error'),
  error: z.object({
    ...ErrorObject.shape,
    type: z.string().meta({ description: "Anthropic's type of the error." }),
    details: z.looseObject({}).optional(),
  }),
  request_id: z.string(),
}

export const MessageError = z
  .object(failed)
  .meta({ id: 'MessageError', description: "Anthropic's shape, with the code and the param of the gateway." })

const index = z.int()

/** The data of one event of a stream; the event has the same name as its `type`. */
export const MessageEvent = z
  .union([
    z.looseObject({ type: z.literal('message_start'), message: Message }),
    z.looseObject({ type: z.literal('content_block_start'), index, content_block: AnswerBlock }),
    z.looseObject({ type: z.literal('content_block_delta'), index, delta: BlockDelta }),
    z.looseObject({ type: z.literal('content_block_stop'), index }),
    z.looseObject({
      type: z.literal('message_delta'),
      delta: z.looseObject(stopped),
      usage: z.looseObject(usage),
    }),
    z.looseObject({ type: z.literal('message_stop') }),
    z.object(failed),
    z
      .looseObject({ type: z.string().regex(/^(?!message_|content_block_|error$).*$/) })
      .meta({ description: 'Further events, such as `ping`, from a provider that speaks this format.' }),
  ])
  .meta({ id: 'MessageEvent' })
