import { z } from 'zod'
import { FAILURE_REASONS, type FailureKind } from '../core/failure.ts'

/** So many blocks of a provider are named. */
export const BLOCKS_SHOWN_MAX = 50
/** The scope of what holds for every workspace. */
export const FOR_EVERYONE = 'everyone'

/** Something of a provider that is not used now: for whom, why, and until when. */
export const BlockView = z
  .object({
    what: z.enum(['circuit', 'target', 'credential']).meta({
      description:
        '`circuit`: the circuit of the route is open. `target`: the route is overloaded, or has no such model. `credential`: the key is refused, unpaid or rate-limited.',
    }),
    upstream_model: z.string().nullable().meta({ description: 'Of the route; null: at every route.' }),
    credential: z.string().nullable().meta({ description: 'Name of the key; null: not about a key.' }),
    workspace_id: z.string().nullable().meta({ description: 'For which workspace; null: for everyone.' }),
    reason: z.string().meta({ description: 'The kind of the failure that caused it.', example: 'server' }),
    message: z.string().meta({ description: 'The reason as a sentence.' }),
    last_choice: z.boolean().meta({
      description: 'It is used when nothing better is left; false: it is not used at all.',
    }),
    retry_at: z.int().meta({ description: 'When it is used again. Unix seconds.' }),
  })
  .meta({ id: 'ProviderBlock' })
export type BlockView = z.output<typeof BlockView>

/** What a block's view is made of. */
export interface BlockState {
  readonly what: BlockView['what']
  readonly upstreamModel: string | undefined
  readonly credential: string | undefined
  /** Id of a workspace, or `everyone`. */
  readonly scope: string
  readonly reason: FailureKind
  /** Milliseconds since the epoch. */
  readonly until: number
  /** Not used at all meanwhile. */
  readonly firm: boolean
}

/** Those for everyone first, then those that last longest; not more than a person reads. */
export function blockViews(blocks: readonly BlockState[]): { blocks: BlockView[]; blocks_not_shown: number } {
  const isNarrow = ({ scope }: BlockState): number => Number(scope !== FOR_EVERYONE)
  const ordered = blocks.toSorted((a, b) => isNarrow(a) - isNarrow(b) || b.until - a.until)
  const shown = ordered.slice(0, BLOCKS_SHOWN_MAX).map(blockView)
  return { blocks: shown, blocks_not_shown: blocks.length - shown.length }
}

function blockView({ what, upstreamModel, credential, scope, reason, until, firm }: BlockState): BlockView {
  return {
    what,
    upstream_model: upstreamModel ?? null,
    credential: credential ?? null,
    workspace_id: scope === FOR_EVERYONE ? null : scope,
    reason,
    message: FAILURE_REASONS[reason],
    last_choice: !firm,
    retry_at: Math.ceil(until / 1000),
  }
}
