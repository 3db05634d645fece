import { z } from 'zod'

const date = (description: string) => z.string().meta({ description, example: '2026-01-15T00:00:00Z' })

/** A model for clients of Anthropic. */
export const AnthropicModel = z
  .object({
    type: z.literal('model'),
    id: z.string().meta({ example: 'acme/chat-1' }),
    display_name: z.string().meta({ example: 'Acme Chat 1' }),
    created_at: date('RFC 3339; 1970 where it is not known.'),
    max_input_tokens: z.int().meta({ description: 'Of prompt and output together.' }),
    max_tokens: z.int().meta({ description: 'The largest output.' }),
    capabilities: z.null(),
    line: z.null(),
    lifecycle: z.enum(['active', 'deprecated']),
    deprecated_at: date('RFC 3339.').nullable(),
    retires_at: date('RFC 3339.').nullable(),
  })
  .meta({ id: 'AnthropicModel' })

export const AnthropicModelList = z
  .object({
    data: z.array(AnthropicModel),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z
      .boolean()
      .meta({ description: 'Whether there are more, after the page or with `before_id` before it.' }),
  })
  .meta({ id: 'AnthropicModelList' })
