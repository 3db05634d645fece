import { z } from 'zod'
import { FAILURE_REASONS, type FailureKind } from '../core/failure.ts'
import { type BlockState, BlockView, FOR_EVERYONE, blockViews } from './block.ts'
import { unixSeconds } from './field.ts'

const unixTime = (description: string) =>
  z
    .int()
    .nullable()
    .meta({ description: `${description} Unix seconds.` })

const LatencyView = z
  .object({
    p50: z.int(),
    p90: z.int(),
    p99: z.int(),
    samples: z.int().meta({ description: 'Streamed calls of the last five minutes, at most 128.' }),
  })
  .meta({ id: 'Latency' })

const LastErrorView = z
  .object({
    kind: z.string().meta({ example: 'server' }),
    status: z.int().nullable().meta({ description: "The provider's HTTP status, when there was one." }),
    code: z.string().nullable().meta({
      description:
        "The provider's code of the error, or the gateway's for what happened to the call; null when it is not a documented code.",
      example: 'insufficient_quota',
    }),
    message: z.string().meta({
      description:
        "The kind as a sentence. The provider's own words may repeat prompts and keys: they are only in the log, at level `debug` with `log.prompts`.",
    }),
    at: z.int().meta({ description: 'Unix seconds.' }),
  })
  .meta({ id: 'LastError' })

const RouteView = z
  .object({
    upstream_model: z.string(),
    circuit: z.enum(['closed', 'open', 'half_open', 'open_for_some']).meta({
      description:
        'For everyone. `open`: nothing is sent there. `half_open`: one call at a time may try. `open_for_some`: open for the workspaces in `blocks`, closed for the others.',
    }),
    requests: z.int().meta({ description: 'Calls since the start.' }),
    failures: z.int().meta({ description: 'How many of them failed, for any reason.' }),
    open_calls: z.int().meta({ description: 'Calls that wait for their first event now.' }),
    error_rate: z.number().nullable().meta({
      description:
        'Share of the last minute’s calls in which the target itself failed, 0 to 1; null when there were none.',
    }),
    first_event_ms: LatencyView.nullable(),
    last_error: LastErrorView.nullable(),
    retry_at: unixTime('When everyone may call it again; null: now, except for the workspaces in `blocks`.'),
  })
  .meta({ id: 'ProviderRoute' })

/** A provider as the operator sees it: where it is and how it fares. Never a credential's value. */
export const ProviderView = z
  .object({
    id: z.string().meta({ description: 'Its name in the configuration.', example: 'acme' }),
    display_name: z.string(),
    wire: z.string().meta({ example: 'openai-chat' }),
    base_url: z.string(),
    status: z.enum(['healthy', 'degraded', 'unavailable', 'unknown']).meta({
      description:
        '`unknown`: nothing was sent to it since the start. `unavailable`: no workspace may call any of its routes now. `degraded`: something is in `blocks`.',
    }),
    credentials: z.array(
      z.object({
        name: z.string().meta({ example: 'acme#1' }),
        status: z.enum(['ready', 'cooling', 'refused', 'unpaid', 'ready_for_some']).meta({
          description:
            'For everyone. `ready_for_some`: not used for the workspaces in `blocks`, or at some targets only.',
        }),
        retry_at: unixTime('When it is used again for everyone; null: it is in use.'),
      }),
    ),
    routes: z.array(RouteView),
    blocks: z.array(BlockView).meta({
      description:
        'What is not used now: those for everyone first, then those that last longest. At most 50 are named.',
    }),
    blocks_not_shown: z.int().meta({ description: 'How many more there are.' }),
  })
  .meta({ id: 'Provider' })

export type ProviderView = z.output<typeof ProviderView>

/** What a provider's view is made of. Times are in milliseconds since the epoch. */
export interface ProviderState {
  readonly id: string
  readonly displayName: string
  readonly wire: string
  readonly baseUrl: string
  /** Their names. */
  readonly credentials: readonly string[]
  readonly targets: readonly TargetState[]
  readonly blocks: readonly BlockState[]
}

export interface TargetState {
  readonly upstreamModel: string
  readonly circuit: z.output<typeof RouteView>['circuit']
  /** Set while no workspace may call it. */
  readonly retryAt: number | undefined
  readonly requests: number
  readonly failures: number
  readonly openCalls: number
  readonly recent: { readonly calls: number; readonly failures: number }
  readonly firstEventMs:
    | { readonly p50: number; readonly p90: number; readonly p99: number; readonly samples: number }
    | undefined
  readonly lastError:
    | {
        readonly kind: FailureKind
        readonly status: number | undefined
        readonly code: string | undefined
        readonly at: number
      }
    | undefined
}

export function providerView(state: ProviderState): ProviderView {
  return {
    id: state.id,
    display_name: state.displayName,
    wire: state.wire,
    base_url: state.baseUrl,
    status: statusOf(state),
    credentials: state.credentials.map((name) => credentialView(name, state.blocks)),
    routes: state.targets.map(routeView),
    ...blockViews(state.blocks),
  }
}

function routeView(target: TargetState): z.output<typeof RouteView> {
  const { firstEventMs: latency, lastError, recent } = target
  return {
    upstream_model: target.upstreamModel,
    circuit: target.circuit,
    requests: target.requests,
    failures: target.failures,
    open_calls: target.openCalls,
    error_rate: recent.calls === 0 ? null : Math.round((recent.failures / recent.calls) * 1000) / 1000,
    first_event_ms: latency
      ? {
          p50: Math.round(latency.p50),
          p90: Math.round(latency.p90),
          p99: Math.round(latency.p99),
          samples: latency.samples,
        }
      : null,
    last_error: lastError
      ? {
          kind: lastError.kind,
          status: lastError.status ?? null,
          code: lastError.code ?? null,
          message: FAILURE_REASONS[lastError.kind],
          at: unixSeconds(lastError.at),
        }
      : null,
    retry_at: secondsOrNull(target.retryAt),
  }
}

function statusOf({ targets, blocks }: ProviderState): ProviderView['status'] {
  if (targets.every(({ requests }) => requests === 0)) return 'unknown'
  if (targets.every(({ retryAt }) => retryAt !== undefined)) return 'unavailable'
  const healthy = blocks.length === 0 && targets.every(({ circuit }) => circuit === 'closed')
  return healthy ? 'healthy' : 'degraded'
}

function credentialView(name: string, blocks: readonly BlockState[]): ProviderView['credentials'][number] {
  const own = blocks.filter(({ credential }) => credential === name)
  const forEveryone = own.find(
    ({ scope, upstreamModel }) => scope === FOR_EVERYONE && upstreamModel === undefined,
  )
  const { status, until } = forEveryone
    ? { status: refusedStatus(forEveryone.reason), until: forEveryone.until }
    : { status: own.length > 0 ? ('ready_for_some' as const) : ('ready' as const), until: undefined }
  return { name, status, retry_at: secondsOrNull(until) }
}

function refusedStatus(reason: FailureKind): ProviderView['credentials'][number]['status'] {
  if (reason === 'credential') return 'refused'
  return reason === 'billing' ? 'unpaid' : 'cooling'
}

/** Rounded up: asked at that second, it is true. */
function secondsOrNull(at: number | undefined): number | null {
  return at === undefined ? null : Math.ceil(at / 1000)
}
