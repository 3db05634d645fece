import { ERRORS, type Refusal } from './error.ts'
import { DAY_MS } from './limit.ts'
import type { RefusedCall } from './ports/refusals.ts'
import type { Veil } from './veil.ts'

/** Refused calls of one key that are kept; the oldest make room. They can be looked up: docs/admin-api.md#refused-calls. */
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
/** A pair of which the second half was cut off. */
const HALF_AT_END = /[\uD800-\uDBFF]$/

type Told = Pick<RefusedCall, 'status' | 'code' | 'message' | 'param' | 'model' | 'address'>

/** What is kept of a refusal: what the caller was told, bounded, without control characters and secrets. */
export function describeRefusal(
  refusal: Refusal,
  asked: { readonly model: string | undefined; readonly address: string | null },
  veil: Veil,
): Told {
  const { code, message, param } = refusal
  const plain = (text: string, lengthMax: number): string => plainStart(text, lengthMax, veil)
  return {
    status: ERRORS[code].status,
    code,
    message: plain(message, MESSAGE_LENGTH_MAX),
    param: param === null ? null : plain(param, PARAM_LENGTH_MAX),
    model: asked.model === undefined ? null : plain(asked.model, MODEL_LENGTH_MAX),
    address: asked.address === null ? null : plain(asked.address, ADDRESS_LENGTH_MAX),
  }
}

function plainStart(text: string, lengthMax: number, veil: Veil): string {
  // A copy of its own: a part of a text keeps the whole in memory, and a model's name may be as long as a body.
  const copy = Array.from(text.slice(0, 2 * lengthMax))
    .join('')
    .toWellFormed()
  const clean = veil(copy).replace(UNPRINTABLE, ' ')
  if (text.length <= 2 * lengthMax && clean.length <= lengthMax) return clean
  return `${clean.slice(0, lengthMax - 1).replace(HALF_AT_END, '')}…`
}

/** The UTC day of a moment, as its number since the epoch. */
export function dayOf(at: number): number {
  return Math.floor(at / DAY_MS)
}
