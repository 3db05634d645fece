import { GatewayError, refuse } from '../core/error.ts'
import type { Once, Repetition } from '../core/ports/once.ts'
import type { OperationDeps } from './deps.ts'
import type { Act } from './act.ts'
import { ISSUED_SECRET } from './field.ts'
import { type SealSecrets, seal, unseal } from './sealing.ts'

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/
/** How long an answer that holds a new secret is kept (docs/admin-api.md#repeating-a-request), in milliseconds. */
export const SECRET_ANSWER_MS = 10 * 60_000

/** What is asked for under an idempotency key. */
export interface Asked<Made> {
  readonly kind: 'create_workspace' | 'create_key' | 'rotate_key' | 'create_token' | 'release_provider'
  /** What it is asked of, and how: decoded, so that the same request always gives the same text. */
  readonly input: unknown
  /** The id of what is to be made. */
  readonly subject: string
  readonly holdsSecret: boolean
  readonly viewOf: (made: Made) => object
}

/** A change under the idempotency key of whoever asks for it; undefined without one. Throws `invalid_request`. */
export function onceOf<Made>(
  { kind, input, subject, holdsSecret, viewOf }: Asked<Made>,
  act: Act,
  { clock, hash }: Pick<OperationDeps, 'clock' | 'hash'>,
): Once<Made> | undefined {
  const idempotencyKey = checkedKey(act)
  if (idempotencyKey === undefined) return undefined
  const at = clock()
  const secrets = secretsOf(act)
  return {
    name: hash(`${kind} ${idempotencyKey}`),
    inputHash: hash(textOf(input)),
    at,
    subject,
    answerOf(made) {
      const text = JSON.stringify(viewOf(made))
      if (!holdsSecret) return text
      return secrets ? seal(text, secrets) : ''
    },
    // Without a credential to seal it with, an answer with a secret is not kept at all.
    answerUntil: holdsSecret ? at + (secrets ? SECRET_ANSWER_MS : 0) : null,
  }
}

/**
 * The answer of the first time. Throws `idempotency_conflict` where there is none to give.
 * @param secretOf whose secret the answer holds
 */
export function repeatedAnswer(
  repetition: Repetition,
  secretOf: 'key' | 'admin token' | undefined,
  act: Act,
): unknown {
  switch (repetition.kind) {
    case 'repeated': {
      const text = secretOf ? unsealed(repetition.answer, act) : repetition.answer
      if (text !== undefined) return JSON.parse(text)
      throw made(repetition.subject, secretOf, 'is kept only for the admin token that created it')
    }
    case 'forgotten':
      throw made(repetition.subject, secretOf, 'is not kept')
    case 'conflict':
      throw conflict('This Idempotency-Key was used for another request.')
  }
}

/** Throws `invalid_request` unless it can be a header's value. */
export function checkedKey({ idempotencyKey }: Act): string | undefined {
  if (idempotencyKey === undefined) return undefined
  const fault = !IDEMPOTENCY_KEY.test(idempotencyKey)
    ? 'must be 1 to 255 visible ASCII characters.'
    : ISSUED_SECRET.test(idempotencyKey)
      ? 'must not hold the secret of a key or an admin token.'
      : undefined
  if (fault === undefined) return idempotencyKey
  throw new GatewayError(refuse('invalid_request', `Idempotency-Key: ${fault}`, { param: 'Idempotency-Key' }))
}

/** Undefined where it was sealed with another credential, or comes beside the database, where there is none. */
function unsealed(answer: string, act: Act): string | undefined {
  const secrets = secretsOf(act)
  return secrets && unseal(answer, secrets)
}

function made(
  subject: string,
  secretOf: 'key' | 'admin token' | undefined,
  whyNotAgain: string,
): GatewayError {
  const remedy = secretOf === 'key' ? 'rotate that key' : 'revoke it and create another'
  return conflict(
    `This Idempotency-Key has made the ${secretOf ?? 'thing'} "${subject}" before. Its secret was shown then and ${whyNotAgain}: if it is lost, ${remedy}.`,
  )
}

function secretsOf({ credential, idempotencyKey }: Act): SealSecrets | undefined {
  return credential === undefined || idempotencyKey === undefined ? undefined : { credential, idempotencyKey }
}

function textOf(input: unknown): string {
  return JSON.stringify(input, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
}

function conflict(message: string): GatewayError {
  return new GatewayError(refuse('idempotency_conflict', message, { param: 'Idempotency-Key' }))
}
