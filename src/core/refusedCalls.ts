import { ERRORS, type Refusal } from './error.ts'
import { ADMIN_TOKEN_PREFIX, KEY_PREFIX, type KeyId } from './id.ts'
import { DAY_MS, MINUTE_MS } from './limit.ts'
import type { RefusedCall, RefusedOfKey } from './ports/refusals.ts'

/** Refused calls of one key that are kept in a UTC minute. They can be looked up: docs/admin-api.md#refused-calls. */
export const KEPT_PER_MINUTE = 20
/** Refused calls of one key that are kept at once; the oldest make room. */
export const KEPT_PER_KEY = 200
/** How long they are kept. */
export const KEEP_REFUSED_MS = 7 * DAY_MS
/** In UTC days: how far back refusals are counted, today included. */
export const COUNTED_DAYS = 7

/** In UTF-16 units. Our own sentences are shorter; what they quote may be long. */
export const MESSAGE_LENGTH_MAX = 1_000
const PARAM_LENGTH_MAX = 256
const MODEL_LENGTH_MAX = 256
const ADDRESS_LENGTH_MAX = 64

const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu
/** A secret of ours, or the beginning of one: a message may quote what stood in the place of a model's name. */
const SECRET = new RegExp(`(${KEY_PREFIX}|${ADMIN_TOKEN_PREFIX})[0-9a-z]{6,}`, 'gi')

/** A pair of which the second half was cut off. */
const HALF_AT_END = /[\uD800-\uDBFF]$/

type Told = Pick<RefusedCall, 'status' | 'code' | 'message' | 'param' | 'model' | 'address'>

/** What is kept of a refusal: what the caller was told, bounded, without control characters and secrets. */
export function describeRefusal(
  refusal: Refusal,
  asked: { readonly model: string | undefined; readonly address: string | null },
): Told {
  const { code, message, param } = refusal
  return {
    status: ERRORS[code].status,
    code,
    message: plain(message, MESSAGE_LENGTH_MAX),
    param: param === null ? null : plain(param, PARAM_LENGTH_MAX),
    model: asked.model === undefined ? null : plain(asked.model, MODEL_LENGTH_MAX),
    address: asked.address === null ? null : plain(asked.address, ADDRESS_LENGTH_MAX),
  }
}

function plain(text: string, lengthMax: number): string {
  // A copy of its own: a part of a text keeps the whole in memory, and a model's name may be as long as a body.
  const copy = Array.from(text.slice(0, 2 * lengthMax))
    .join('')
    .toWellFormed()
  const clean = copy.replace(UNPRINTABLE, ' ').replace(SECRET, '$1…')
  if (text.length <= 2 * lengthMax && clean.length <= lengthMax) return clean
  return `${clean.slice(0, lengthMax - 1).replace(HALF_AT_END, '')}…`
}

/** The UTC minute of a moment, as its number since the epoch. */
export function minuteOf(at: number): number {
  return Math.floor(at / MINUTE_MS)
}

/** The UTC day of a moment, as its number since the epoch. */
export function dayOf(at: number): number {
  return Math.floor(at / DAY_MS)
}

/** What is known of the refused calls of a key on a UTC day. */
export interface RefusalCount {
  readonly keyId: KeyId
  readonly day: number
  /** The last minute of which something was kept, and how much. */
  readonly minute: number
  readonly minuteKept: number
  /** How many calls were refused, kept or not. */
  readonly refused: number
}

export interface KeptVerdict {
  readonly calls: readonly RefusedCall[]
  readonly count: RefusalCount
}

/**
 * Which of a key's refused calls are kept: so many of a minute, whichever process brings them.
 * @param known the count of the day of `refused.at`
 */
export function decideKept(known: RefusalCount | undefined, refused: RefusedOfKey): KeptVerdict {
  let { minute, minuteKept } = known ?? { minute: 0, minuteKept: 0 }
  const calls: RefusedCall[] = []
  for (const call of refused.calls) {
    const ofCall = minuteOf(call.at)
    // A clock that is behind opens no minute again that is over.
    if (ofCall > minute) [minute, minuteKept] = [ofCall, 0]
    if (minuteKept >= KEPT_PER_MINUTE) continue
    minuteKept++
    calls.push(call)
  }
  const count = {
    keyId: refused.keyId,
    day: dayOf(refused.at),
    minute,
    minuteKept,
    refused: (known?.refused ?? 0) + refused.refused,
  }
  return { calls, count }
}
