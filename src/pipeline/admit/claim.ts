import { assert } from '../../core/assert.ts'
import { GatewayError, refuse } from '../../core/error.ts'
import type { ClaimVerdict } from '../../core/ports/answers.ts'
import { StoreUnavailable } from '../../core/ports/till.ts'
import { LEASE_MS, admitWithoutHold } from './admit.ts'
import type { Call, IdempotencyClaim } from '../call.ts'
import type { IncomingBody } from '../authenticate/incoming.ts'
import type { Reply } from '../reply.ts'

/** How long an answer is kept for its Idempotency-Key. */
export const KEEP_ANSWER_MS = 24 * 60 * 60_000
/** A longer answer is not kept: its key is free again when the call ends. In UTF-16 units. */
export const KEPT_ANSWER_LENGTH_MAX = 4 * 1024 * 1024
export const IDEMPOTENCY_KEY_LENGTH_MAX = 255
/** How long a duplicate request waits for the first call, and how often it asks. */
export const DUPLICATE_PATIENCE_MS = 10 * 60_000
const DUPLICATE_POLL_FIRST_MS = 20
const DUPLICATE_POLL_MAX_MS = 500

/**
 * Claims the caller's Idempotency-Key for the call, or waits for the call that has it (docs/api.md#safe-retries).
 * Returns the reply when an earlier call has answered.
 */
export async function claimAnswer(call: Call, body: IncomingBody, at: number): Promise<Reply | undefined> {
  const { deps, caller, exchange, incoming } = call
  const { idempotencyKey } = incoming
  if (idempotencyKey === null || !body.ok) return undefined
  const count = () => admitWithoutHold(deps, caller, exchange, at)
  const fault = faultOf(idempotencyKey, deps)
  if (fault !== undefined) {
    await count()
    throw new GatewayError(refuse('invalid_request', fault))
  }
  const workspaceId = caller.workspace.id
  assert(body.hash !== undefined, 'the body of a call with an Idempotency-Key is hashed while it is read')
  const bodyHash: string = body.hash

  function claim(now: number): Promise<ClaimVerdict> {
    const leaseUntil = now + LEASE_MS
    return deps.store.answers.claim({
      id: exchange.id,
      workspaceId,
      idempotencyKey: idempotencyKey ?? '',
      bodyHash,
      at: now,
      leaseUntil,
    })
  }

  let verdict = await claim(at)
  if (verdict.kind === 'claimed') {
    call.claim = claimOf(call, idempotencyKey, at)
    return undefined
  }
  await count()
  const giveUpAt = at + DUPLICATE_PATIENCE_MS
  for (let waitMs = DUPLICATE_POLL_FIRST_MS; verdict.kind === 'running';) {
    if (deps.now() > giveUpAt || incoming.signal.aborted) break
    await deps.sleep(waitMs, incoming.signal)
    waitMs = Math.min(waitMs * 2, DUPLICATE_POLL_MAX_MS)
    verdict = await claim(deps.now())
  }
  switch (verdict.kind) {
    case 'kept':
      exchange.id = verdict.id
      exchange.headers['idempotent-replayed'] = 'true'
      return { kind: 'whole', contentType: verdict.contentType, body: verdict.body }
    case 'conflict':
      throw new GatewayError(
        refuse(
          'idempotency_conflict',
          'This Idempotency-Key was used with another request body within the last 24 hours.',
        ),
      )
    case 'claimed':
      // The first call failed and freed the key. This one has been counted; it is not run under a
      // second count but told to come again.
      call.claim = claimOf(call, idempotencyKey, at)
      throw firstCallFailed()
    case 'running':
      throw firstCallFailed()
  }
}

/** The key is kept as it is sent, so it may not be a secret. */
function faultOf(idempotencyKey: string, { veil }: Pick<Call['deps'], 'veil'>): string | undefined {
  if (idempotencyKey === '' || idempotencyKey.length > IDEMPOTENCY_KEY_LENGTH_MAX)
    return `The Idempotency-Key header must have 1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} characters.`
  if (veil(idempotencyKey) !== idempotencyKey)
    return 'The Idempotency-Key header holds an API key or a token. Send another value, such as a UUID.'
  return undefined
}

/** @param at when the call was admitted */
function claimOf(
  { deps, caller, exchange: { id } }: Call,
  idempotencyKey: string,
  at: number,
): IdempotencyClaim {
  return {
    keeps: true,
    keep: (contentType, body) =>
      body.length > KEPT_ANSWER_LENGTH_MAX
        ? undefined
        : { idempotencyKey, contentType, body, expiresAt: at + KEEP_ANSWER_MS },
    async free() {
      try {
        await deps.store.answers.free(caller.workspace.id, idempotencyKey, id)
      } catch (cause) {
        // The claim's lease ends by itself; the caller's own error must not be hidden by this one.
        if (cause instanceof StoreUnavailable) return
        deps.events.gatewayFailed({ id, at: 'idempotency', cause })
      }
    },
  }
}

function firstCallFailed(): GatewayError {
  return new GatewayError(
    refuse(
      'service_unavailable',
      'The first call with this Idempotency-Key failed, or its client hung up. Retry now.',
      {
        retryAfterSeconds: 1,
      },
    ),
  )
}
