import { z } from 'zod'

/** A message with OpenAI's tools and content parts: for the OpenAPI document only; `/v1` has its own decoder. */

const ContentPart = z
  .discriminatedUnion('type', [
    z.looseObject({ type: z.literal('text'), text: z.string() }),
    z.looseObject({
      type: z.literal('image_url'),
      image_url: z
        .union([
          z.looseObject({
            url: z
              .string()
              .meta({ description: 'A `data:` URL, or an `https:` URL that the provider fetches.' }),
            detail: z.string().optional().meta({ description: '`auto`, `low` or `high`.' }),
          }),
          z.string(),
        ])
        .meta({ description: 'An object, or the URL alone.' }),
    }),
    z.looseObject({
      type: z.literal('file'),
      file: z
        .looseObject({
          file_data: z.string().optional().meta({ description: 'A `data:` URL, such as a PDF.' }),
          filename: z.string().optional(),
        })
        .meta({ description: 'A document.' }),
    }),
    z.looseObject({
      type: z.literal('input_audio'),
      input_audio: z.looseObject({ data: z.string(), format: z.string() }).meta({
        description: 'Base64 audio. Models that do not take audio answer 400.',
      }),
    }),
    z.looseObject({ type: z.literal('refusal'), refusal: z.string() }),
  ])
  .meta({ id: 'ContentPart' })

const callId = z
  .string()
  .meta({ description: 'Repeat it as `tool_call_id` of the result.', example: 'call_1' })

export const ToolCall = z
  .union([
    z.looseObject({
      id: callId,
      type: z.literal('function'),
      function: z.looseObject({
        name: z.string().meta({ example: 'get_weather' }),
        arguments: z.string().meta({ description: 'JSON as text.', example: '{"city":"Oslo"}' }),
      }),
    }),
    z
      .looseObject({
        id: callId,
        type: z.literal('custom'),
        custom: z.looseObject({ name: z.string(), input: z.string().meta({ description: 'Any text.' }) }),
      })
      .meta({ description: 'A call of a custom tool.' }),
  ])
  .meta({ id: 'ToolCall' })

export const ReasoningDetail = z
  .looseObject({
    type: z.string().meta({ description: '`reasoning.text` or `reasoning.encrypted`.' }),
    text: z.string().optional(),
    signature: z.string().optional().meta({ description: 'Made by the provider; opaque.' }),
    data: z.string().optional().meta({ description: 'Encrypted reasoning; opaque.' }),
    id: z.string().optional().meta({ description: 'The tool call that the signature belongs to.' }),
  })
  .meta({ id: 'ReasoningDetail', description: 'A block of reasoning. Send it back unchanged.' })

export const GeneratedImage = z
  .looseObject({
    type: z.literal('image_url'),
    image_url: z.looseObject({ url: z.string().meta({ description: 'A `data:` URL.' }) }),
    index: z.int().optional(),
  })
  .meta({ id: 'GeneratedImage', description: 'An image that the model made.' })

export const Message = z
  .looseObject({
    role: z.enum(['system', 'developer', 'user', 'assistant', 'tool', 'function']),
    content: z
      .union([z.string(), z.array(ContentPart)])
      .nullable()
      .optional()
      .meta({
        description:
          'Text, or a list of content parts. Required, except in an `assistant` message with `tool_calls` or `refusal`.',
      }),
    name: z.string().nullable().optional().meta({ description: 'Name of the author.' }),
    tool_calls: z
      .array(ToolCall)
      .nullable()
      .optional()
      .meta({ description: 'In an `assistant` message: the calls that the model made.' }),
    tool_call_id: z
      .string()
      .nullable()
      .optional()
      .meta({ description: 'In a `tool` message, and required there: the call that this is the result of.' }),
    refusal: z
      .string()
      .nullable()
      .optional()
      .meta({ description: 'In an `assistant` message: its refusal.' }),
    reasoning_content: z
      .string()
      .nullable()
      .optional()
      .meta({ description: 'In an `assistant` message: reasoning text of an earlier response.' }),
    reasoning_details: z.array(ReasoningDetail).nullable().optional().meta({
      description: 'In an `assistant` message: reasoning blocks of an earlier response, unchanged.',
    }),
    images: z
      .array(GeneratedImage)
      .nullable()
      .optional()
      .meta({ description: 'In an `assistant` message: images of an earlier response.' }),
  })
  .meta({ id: 'Message' })
