import type { Logger } from 'pino'
import { createFinishWords } from './finishWords.ts'
import { FAILURE_REASONS, type FailureKind } from '../core/failure.ts'
import { OutcomeUnknown } from '../core/ports/till.ts'
import { RecentMap } from '../core/recent.ts'
import type { Usage } from '../core/usage.ts'
import type { PipelineEvents } from '../pipeline/deps.ts'
import type { ErrorLog } from './errorLog.ts'
import type { Metrics } from './metrics.ts'

export interface PipelineEventsOptions {
  readonly log: Logger
  readonly errors: ErrorLog
  readonly metrics: Metrics
  /** Whether prompts and answers are logged: `log.prompts` of the configuration. */
  readonly prompts: () => boolean
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** While calls fail for a reason that an operator can remove, one line in so many milliseconds says how. */
const ADVICE_MS = 10_000
/** How many routes are remembered for that; a route that is forgotten has its line earlier. */
const ADVISED_MAX = 1_000
/** The reason is the machine's: one line serves for all routes. */
const MACHINE_ADVICE: ReadonlyMap<FailureKind, string> = new Map([
  [
    'no_files',
    'the gateway may open no more connections: raise the limit of its files (ulimit -n, or LimitNOFILE of systemd), and look for callers with many idle connections (docs/troubleshooting.md)',
  ],
  [
    'no_ports',
    'no local port is free for a further connection to the address of a provider: widen net.ipv4.ip_local_port_range (docs/troubleshooting.md)',
  ],
])
/** The reason is the account or the configuration of a route. */
const ROUTE_ADVICE: ReadonlyMap<FailureKind, string> = new Map([
  [
    'over_limit',
    'a request alone exceeds a limit of the account with a provider, and no wait helps: raise the limit there, or add a target with a higher one',
  ],
  [
    'not_found',
    'a provider does not have the model of a target, or its address is wrong: check the upstream model and base_url',
  ],
])

const UNKNOWN_FINISH = 'a provider ended an answer for an unknown reason, so the answer counts as cut'
const EXCESS =
  "a provider generated more output than its limit: output beyond the caller's limit is not charged, output beyond a lower limit of the gateway is charged as far as the balance allows"

const GIVEN_UP = 'a settlement was given up'
const SET_ASIDE = 'the database refuses the settlement of one call, and takes others'
const GIVEN_UP_IN_DOUBT = 'a settlement was given up that may have been committed'

type FailedCall = Parameters<PipelineEvents['attemptFailed']>[0]
type Settled = Parameters<PipelineEvents['settled']>[0]
type Writeoff = NonNullable<Settled['writeoff']>

/** Tells log and metrics what happens to requests. */
export function createPipelineEvents(options: PipelineEventsOptions): PipelineEvents {
  const { log, errors, metrics, prompts, now } = options
  const advisedAt = new RecentMap<string, number>(ADVISED_MAX)

  function isDue(about: string): boolean {
    if (now() - (advisedAt.get(about) ?? -Infinity) < ADVICE_MS) return false
    advisedAt.set(about, now())
    return true
  }

  function advise({ route, failure: { kind, status, code, limit, requested } }: FailedCall): void {
    const ofMachine = MACHINE_ADVICE.get(kind)
    if (ofMachine !== undefined && isDue(kind)) log.error({ code }, ofMachine)
    const ofRoute = ROUTE_ADVICE.get(kind)
    if (ofRoute !== undefined && isDue(`${kind} ${route}`))
      log.warn({ route, status, code, limit, requested }, ofRoute)
  }

  /** Kind, status and code of a failure for everybody, its words for those who asked for prompts. */
  function warnOf({ id, route, failure }: FailedCall, sentence: string): void {
    const { kind, status, code, detail } = failure
    log.warn({ id, route, kind, status, code, reason: FAILURE_REASONS[kind] }, sentence)
    errors.words({ id, route }, detail, 'what the provider said')
  }

  function warnOfWriteoff({ id, workspaceId, route }: Settled, { amount, cause }: Writeoff): void {
    metrics.writtenOff(cause, amount)
    log.warn(
      { id, route, workspace_id: workspaceId, writeoff_nano_usd: String(amount), cause },
      'part of a charge was written off',
    )
  }

  function warnOfRefund({ id, workspaceId }: Settled, refund: bigint): void {
    log.warn(
      { id, workspace_id: workspaceId, refund_nano_usd: String(refund) },
      'a charge in doubt was found committed and was refunded, because the answer was not sent',
    )
  }

  const finishWord = createFinishWords()

  return {
    attemptFailed(event) {
      metrics.upstreamFailed(event.failure.kind)
      warnOf(event, 'call to provider failed')
      advise(event)
    },
    tokenCountFailed(event) {
      if (isDue(`tokens ${event.route}`)) warnOf(event, 'a provider did not count the tokens of a prompt')
    },
    answerFailed(event) {
      metrics.upstreamFailed(event.failure.kind)
      warnOf(event, 'a provider interrupted its answer')
    },
    settled(event) {
      metrics.settled(event.ending, event.charge, event.estimated)
      if (event.writeoff) warnOfWriteoff(event, event.writeoff)
      if (event.refund !== undefined) warnOfRefund(event, event.refund)
    },
    settlementDelayed({ id, first, lost, cause }) {
      metrics.settlementDelayed(lost)
      if (lost) errors.error({ id }, cause, cause instanceof OutcomeUnknown ? GIVEN_UP_IN_DOUBT : GIVEN_UP)
      else if (first) log.warn({ id }, 'a settlement waits for the database')
    },
    settlementSetAside({ id, cost, cause }) {
      metrics.settlementSetAside()
      errors.error({ id, charge_nano_usd: String(cost) }, cause, SET_ASIDE)
    },
    conversation(id, read) {
      if (prompts()) log.info({ id, ...read() }, 'conversation')
    },
    gatewayFailed({ id, at, cause }) {
      metrics.gatewayFailed(at)
      errors.error({ id, at }, cause, 'the gateway failed')
    },
    usageRejected({ id, route, reported }) {
      metrics.usageRejected()
      log.warn(
        { id, route, reported: countsOf(reported) },
        'a provider reported impossible usage; the gateway uses its own count',
      )
    },
    outputExceeded({ id, route, provider, tokens }) {
      metrics.outputExceeded(provider, tokens)
      log.warn({ id, route, tokens }, EXCESS)
    },
    unknownFinish({ id, route, provider, word }) {
      const shown = finishWord(word)
      metrics.unknownFinish(provider, shown)
      log.warn({ id, route, word: shown }, UNKNOWN_FINISH)
    },
  }
}

/** The five counts and nothing beside them, whatever a provider put into its report. */
function countsOf(usage: Usage): Record<string, number> {
  return {
    prompt_tokens: usage.promptTokens,
    cached_tokens: usage.cachedTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    completion_tokens: usage.completionTokens,
    reasoning_tokens: usage.reasoningTokens,
  }
}
