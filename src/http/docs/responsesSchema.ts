import { z } from 'zod'

/** OpenAI's Responses, with the details of its format: for the OpenAPI document only. */

const text = z.string().optional()

const InputPart = z
  .looseObject({
    type: z.string(),
    text,
    refusal: text,
    image_url: z.string().nullish(),
    detail: z.string().nullish(),
    filename: text,
    file_data: text,
    file_url: text,
    annotations: z.array(z.looseObject({})).optional(),
  })
  .meta({ id: 'InputPart' })

const content = z.union([z.string(), z.array(InputPart)])

const Item = z
  .looseObject({
    type: text,
    id: text,
    role: z.enum(['user', 'assistant', 'system', 'developer']).optional(),
    content: content.nullish(),
    status: z.string().nullish(),
    call_id: text,
    name: text,
    arguments: text.meta({ description: 'Of a `function_call`: JSON.' }),
    input: text.meta({ description: 'Of a `custom_tool_call`.' }),
    output: content
      .optional()
      .meta({ description: 'Of a `function_call_output` or a `custom_tool_call_output`.' }),
    summary: z.array(z.looseObject({ type: z.string(), text: z.string() })).optional(),
    encrypted_content: z.string().nullish(),
  })
  .meta({
    id: 'InputItem',
    description:
      'A message (`type` may be absent), an earlier output item, the output of a tool call, or an `item_reference`.',
  })

const Input = z.union([z.string(), z.array(Item)])

export const ResponseRequest = z
  .looseObject({
    model: z.string().meta({ description: 'Id or alias of a model, of whatever provider.' }),
    input: Input.meta({ description: 'The conversation so far: text of the user, or items.' }),
    instructions: z.string().nullish(),
    max_output_tokens: z.int().min(1).nullish(),
    temperature: z.number().min(0).max(2).nullish(),
    top_p: z.number().min(0).max(1).nullish(),
    stream: z.boolean().nullish(),
    store: z.boolean().nullish(),
    tools: z.array(z.looseObject({ type: z.string() })).nullish(),
    tool_choice: z.union([z.string(), z.looseObject({ type: z.string() })]).nullish(),
    parallel_tool_calls: z.boolean().nullish(),
    reasoning: z.looseObject({ effort: z.string().nullish(), summary: z.string().nullish() }).nullish(),
    text: z
      .looseObject({
        format: z.looseObject({ type: z.string() }).nullish(),
        verbosity: z.string().nullish(),
      })
      .nullish(),
    include: z.array(z.string()).nullish(),
    metadata: z.record(z.string(), z.string()).nullish(),
    service_tier: z.string().nullish(),
    prompt_cache_key: z.string().nullish(),
    safety_identifier: z.string().nullish(),
    user: z.string().nullish(),
  })
  .meta({
    id: 'ResponseRequest',
    description:
      'What the provider of the model cannot take is left out, and named in `x-tollgate-dropped-fields`. Tools that run at a vendor are left out or refused by name.',
  })

export const ResponseTokenCountRequest = ResponseRequest.partial({ input: true }).meta({
  id: 'ResponseTokenCountRequest',
  description: 'That of a response; only what is a part of the prompt counts.',
})

export const ResponseTokenCount = z
  .object({
    object: z.literal('response.input_tokens'),
    input_tokens: z.int().meta({ example: 14 }),
  })
  .meta({ id: 'ResponseTokenCount' })

const Part = z.union([
  z.looseObject({
    type: z.literal('output_text'),
    text: z.string(),
    annotations: z.array(z.looseObject({})),
    logprobs: z.array(z.looseObject({})).optional(),
  }),
  z.looseObject({ type: z.literal('refusal'), refusal: z.string() }),
  z.looseObject({ type: z.literal('reasoning_text'), text: z.string() }),
])

const KNOWN_ITEMS = 'message|reasoning|function_call|custom_tool_call'

/** What the gateway itself writes; a provider of the format may write more, which is passed on. */
const OutputItem = z
  .union([
    z.looseObject({
      type: z.literal('message'),
      id: z.string(),
      role: z.literal('assistant'),
      status: z.string().optional(),
      content: z.array(Part),
    }),
    z.looseObject({
      type: z.literal('reasoning'),
      id: z.string().optional().meta({ description: 'Absent where the answer is not kept.' }),
      summary: z.array(z.looseObject({ type: z.literal('summary_text'), text: z.string() })),
      encrypted_content: z.string().nullish(),
    }),
    z.looseObject({
      type: z.literal('function_call'),
      id: z.string(),
      call_id: z.string(),
      name: z.string(),
      arguments: z.string(),
      status: z.string().optional(),
    }),
    z.looseObject({
      type: z.literal('custom_tool_call'),
      id: z.string(),
      call_id: z.string(),
      name: z.string(),
      input: z.string(),
    }),
    z
      .looseObject({ type: z.string().regex(new RegExp(`^(?!(?:${KNOWN_ITEMS})$).*$`)) })
      .meta({ description: 'Further kinds, from a provider that speaks this format.' }),
  ])
  .meta({ id: 'OutputItem' })

const Usage = z.looseObject({
  input_tokens: z.int(),
  input_tokens_details: z.looseObject({ cached_tokens: z.int().optional() }).nullish(),
  output_tokens: z.int(),
  output_tokens_details: z.looseObject({ reasoning_tokens: z.int().optional() }).nullish(),
  total_tokens: z.int(),
})

const optionalText = z.string().nullish()
const optionalCount = z.int().nullish()

/** What a response says of its request. */
const repeated = {
  background: z.boolean().optional(),
  frequency_penalty: z.number().optional(),
  instructions: z.union([z.string(), z.array(z.looseObject({}))]).nullish(),
  max_output_tokens: optionalCount,
  max_tool_calls: optionalCount,
  metadata: z.record(z.string(), z.string()).nullish(),
  parallel_tool_calls: z.boolean().optional(),
  presence_penalty: z.number().optional(),
  previous_response_id: optionalText,
  prompt_cache_key: optionalText,
  prompt_cache_retention: optionalText,
  reasoning: z.looseObject({ effort: optionalText, summary: optionalText }).nullish(),
  safety_identifier: optionalText,
  store: z.boolean().optional().meta({ description: 'Whether it is kept.' }),
  temperature: z.number().nullish(),
  text: z
    .looseObject({ format: z.looseObject({ type: z.string() }).optional(), verbosity: optionalText })
    .optional(),
  tool_choice: z.union([z.string(), z.looseObject({ type: z.string() })]).optional(),
  tools: z.array(z.looseObject({ type: z.string() })).optional(),
  top_logprobs: optionalCount,
  top_p: z.number().nullish(),
  truncation: optionalText,
  user: optionalText,
}

export const ResponseObject = z
  .looseObject({
    id: z.string().meta({ example: 'resp_01K8XJ5M7QZ3V9T4B6N2C1D0FG' }),
    object: z.literal('response'),
    created_at: z.number(),
    status: z.enum(['completed', 'incomplete', 'failed', 'in_progress']),
    model: z.string(),
    output: z.array(OutputItem),
    error: z.looseObject({ code: z.string(), message: z.string() }).nullish(),
    incomplete_details: z.looseObject({ reason: z.string() }).nullish(),
    usage: Usage.nullish(),
    service_tier: z.string().nullish(),
    ...repeated,
  })
  .meta({
    id: 'Response',
    description: 'It repeats what was asked: `instructions`, `tools`, `text` and so on.',
  })

const sequence_number = z.int()
const at = { output_index: z.int(), item_id: z.string().optional() }

/** The data of one event of a stream; the event has the same name as its `type`. */
export const ResponseEvent = z
  .union([
    z.looseObject({
      type: z.enum([
        'response.created',
        'response.in_progress',
        'response.completed',
        'response.incomplete',
        'response.failed',
      ]),
      sequence_number,
      response: ResponseObject,
    }),
    z.looseObject({
      type: z.enum(['response.output_item.added', 'response.output_item.done']),
      sequence_number,
      output_index: z.int(),
      item: z.looseObject({ type: z.string() }),
    }),
    z.looseObject({
      type: z.string().regex(/^response\.(?:content_part|reasoning_summary_part)\.(?:added|done)$/),
      sequence_number,
      ...at,
      part: z.looseObject({ type: z.string() }),
    }),
    z.looseObject({
      type: z.string().regex(/^response\..+\.delta$/),
      sequence_number,
      ...at,
      delta: z.string(),
    }),
    z
      .looseObject({
        type: z.literal('error'),
        sequence_number,
        error: z.looseObject({
          type: z.string(),
          code: z.string(),
          message: z.string(),
          param: z.string().nullable(),
        }),
        code: z.string(),
        message: z.string(),
        param: z.string().nullable(),
      })
      .meta({ description: 'The response failed. `response.failed` follows.' }),
    z
      .looseObject({ type: z.string(), sequence_number: z.int().optional() })
      .meta({ description: 'The end of a text or of arguments (`….done`), and further events.' }),
  ])
  .meta({ id: 'ResponseEvent' })

export const DeletedResponse = z
  .object({ id: z.string(), object: z.literal('response.deleted'), deleted: z.literal(true) })
  .meta({ id: 'DeletedResponse' })

export const InputItemList = z
  .object({
    object: z.literal('list'),
    data: z.array(Item),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  })
  .meta({ id: 'InputItemList' })
