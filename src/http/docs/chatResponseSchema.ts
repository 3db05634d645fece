import { z } from 'zod'
import { ErrorObject } from './errorSchema.ts'
import { GeneratedImage, ReasoningDetail, ToolCall } from './messageSchema.ts'

/** A chat completion and a chunk of one, with OpenAI's details: for the OpenAPI document only. */

const FinishReason = z.enum(['stop', 'length', 'tool_calls', 'content_filter', 'function_call'])

const ChatUsage = z
  .object({
    prompt_tokens: z.int(),
    completion_tokens: z.int().meta({ description: 'Reasoning included.' }),
    total_tokens: z.int().meta({ description: 'The sum of both.' }),
    prompt_tokens_details: z.object({
      cached_tokens: z.int().meta({ description: 'Part of `prompt_tokens`: read from the prompt cache.' }),
      cache_write_tokens: z
        .int()
        .optional()
        .meta({ description: 'Part of `prompt_tokens`: written to the prompt cache. Absent: none.' }),
    }),
    completion_tokens_details: z.object({
      reasoning_tokens: z.int().meta({ description: 'Part of `completion_tokens`.' }),
    }),
  })
  .meta({ id: 'ChatUsage', description: 'What the call is charged for.' })

const Annotation = z
  .looseObject({
    type: z.literal('url_citation'),
    url_citation: z.looseObject({ url: z.string(), title: z.string().optional() }).optional(),
  })
  .meta({ id: 'Annotation', description: 'A source that the model cites.' })

/** What a message has only where the model sent it. */
const beside = {
  reasoning_content: z
    .string()
    .nullable()
    .optional()
    .meta({ description: 'What the model thought, where it shows that.' }),
  reasoning_details: z
    .array(ReasoningDetail)
    .optional()
    .meta({ description: 'The same in signed blocks. Send them back in the next request.' }),
  annotations: z.array(Annotation).optional(),
  images: z.array(GeneratedImage).optional().meta({ description: 'Images that the model made.' }),
}

const logprobs = z
  .looseObject({ content: z.array(z.looseObject({})).nullable().optional() })
  .nullable()
  .optional()
  .meta({ description: 'With `logprobs: true`, where the model gives them.' })

/** What providers of the OpenAI format add, as it came. */
const added = {
  service_tier: z.string().nullable().optional().meta({ description: 'Where the provider sends it.' }),
  system_fingerprint: z.string().nullable().optional().meta({ description: 'Where the provider sends it.' }),
}

export const ChatCompletion = z
  .looseObject({
    id: z.string().meta({ description: 'Also the value of `X-Request-ID`, and the id of the receipt.' }),
    object: z.literal('chat.completion'),
    created: z.int().meta({ description: 'Unix seconds.' }),
    model: z.string().meta({ description: 'The id of the model that answered.' }),
    choices: z.array(
      z.looseObject({
        index: z.int(),
        message: z.looseObject({
          role: z.literal('assistant'),
          content: z.string().nullable().meta({ description: 'The text; null where there is none.' }),
          refusal: z.string().nullable().meta({ description: 'Why the model refused; null: it did not.' }),
          tool_calls: z.array(ToolCall).optional().meta({ description: 'The tools to call. Absent: none.' }),
          ...beside,
        }),
        logprobs,
        finish_reason: FinishReason.meta({
          description: '`stop`, `length` (a limit was reached), `tool_calls`, or `content_filter`.',
        }),
      }),
    ),
    usage: ChatUsage,
    ...added,
  })
  .meta({ id: 'ChatCompletion' })

const ToolCallDelta = z.looseObject({
  index: z.int().meta({ description: 'Which call of the message; pieces of one call have the same index.' }),
  id: z.string().optional().meta({ description: 'In the first piece of a call.' }),
  type: z.enum(['function', 'custom']).optional().meta({ description: 'In the first piece of a call.' }),
  function: z
    .looseObject({
      name: z.string().optional().meta({ description: 'In the first piece of a call.' }),
      arguments: z.string().optional().meta({ description: 'The next piece of the JSON text.' }),
    })
    .optional(),
  custom: z
    .looseObject({
      name: z.string().optional().meta({ description: 'In the first piece of a call.' }),
      input: z.string().optional().meta({ description: 'The next piece of the text.' }),
    })
    .optional()
    .meta({ description: 'Of a custom tool.' }),
})

export const ChatCompletionChunk = z
  .looseObject({
    id: z.string().meta({ description: 'The same in all chunks of one stream.' }),
    object: z.literal('chat.completion.chunk'),
    created: z.int(),
    model: z.string(),
    choices: z
      .array(
        z.looseObject({
          index: z.int(),
          delta: z.looseObject({
            role: z.literal('assistant').optional().meta({ description: 'In the first chunk.' }),
            content: z.string().nullable().optional().meta({ description: 'The next piece of text.' }),
            refusal: z.string().nullable().optional().meta({ description: 'The next piece of a refusal.' }),
            tool_calls: z.array(ToolCallDelta).optional(),
            ...beside,
          }),
          logprobs,
          finish_reason: FinishReason.nullable().meta({
            description: 'Null until the last chunk of the choice.',
          }),
        }),
      )
      .meta({ description: 'Empty in the chunk with the usage, and in the one with an error.' }),
    usage: ChatUsage.nullable()
      .optional()
      .meta({ description: 'With `stream_options.include_usage`: null until the last chunk.' }),
    error: ErrorObject.optional().meta({
      description: 'Only in the last event of a stream that fails: what went wrong. No `[DONE]` follows.',
    }),
    ...added,
  })
  .meta({ id: 'ChatCompletionChunk' })
