import { z } from 'zod'

/** A provider as the operator sees it: where it is and how it fares. Never a credential's value. */
export const ProviderView = z
  .object({
    id: z.string().meta({ description: 'Its name in the configuration.', example: 'acme' }),
    display_name: z.string(),
    wire: z.string().meta({ example: 'openai-chat' }),
    base_url: z.string(),
    status: z
      .enum(['healthy', 'degraded', 'unavailable', 'unknown'])
      .meta({ description: '`unknown`: nothing was sent to it since the start.' }),
    credentials: z.array(
      z.object({
        name: z.string().meta({ example: 'acme#1' }),
        status: z.enum(['ready', 'cooling', 'refused']),
        retry_at: z.int().nullable().meta({ description: 'Unix seconds.' }),
      }),
    ),
    routes: z.array(
      z.object({
        upstream_model: z.string(),
        circuit: z.enum(['closed', 'open', 'half_open']),
        requests: z.int(),
        failures: z.int(),
        retry_at: z.int().nullable().meta({ description: 'Unix seconds.' }),
      }),
    ),
  })
  .meta({ id: 'Provider' })

export type ProviderView = z.output<typeof ProviderView>
