import { z } from 'zod'

/** A model and a list of models: for the OpenAPI document only. */

export const Model = z
  .object({
    id: z.string().meta({ example: 'acme/chat-1' }),
    object: z.literal('model'),
    created: z.int().meta({ description: 'Unix seconds.', example: 1_795_176_000 }),
    owned_by: z.string().meta({ description: 'Who made it, in lowercase.', example: 'acme' }),
  })
  .meta({ id: 'Model' })

export const ModelList = z
  .object({ object: z.literal('list'), data: z.array(Model) })
  .meta({ id: 'ModelList' })
