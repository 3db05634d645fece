import { z } from 'zod'
import { filterField } from './field.ts'
import { BlockView } from './block.ts'

export const ReleaseBody = z
  .strictObject({
    target: filterField.optional().meta({
      description: 'Only what concerns this upstream model alone. Default: everything of the provider.',
      example: 'gpt-5',
    }),
    workspace_id: filterField.optional().meta({
      description: 'Only what is blocked for this workspace alone. Default: for every workspace.',
    }),
  })
  .meta({ id: 'ProviderRelease', example: {} })

/** What was blocked, and is used again. */
export const ReleaseView = z
  .object({
    provider: z.string(),
    released: z.array(BlockView).meta({ description: 'At most 50 are named. Empty: nothing was blocked.' }),
    released_not_shown: z.int().meta({ description: 'How many more there were.' }),
  })
  .meta({ id: 'ReleasedProvider' })
export type ReleaseView = z.output<typeof ReleaseView>
