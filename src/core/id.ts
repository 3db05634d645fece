declare const idBrand: unique symbol

/** A string that names one kind of thing. */
type Id<Kind extends string> = string & { readonly [idBrand]: Kind }

export type WorkspaceId = Id<'workspace'>
export type KeyId = Id<'key'>
/** `chatcmpl-…` for a chat completion, `req_…` for a request that costs nothing: see `RequestIdPrefix`. */
export type RequestId = Id<'request'>
/** What the id of a request begins with, at its endpoint: letters, and `-` or `_`. */
export type RequestIdPrefix = `${string}-` | `${string}_`
export type TransferId = Id<'transfer'>
export type AdminTokenId = Id<'admin token'>
export type AuditId = Id<'audit entry'>

/** The prefix of a key's secret, `<KEY_PREFIX>` of the contract. */
export const KEY_PREFIX = 'tg_'
/** The prefix of an admin token that is kept in the store. */
export const ADMIN_TOKEN_PREFIX = 'tga_'

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const TIME_LENGTH = 10
const RANDOM_LENGTH = 16
/** Of ids in order: a million in one millisecond. */
const COUNT_LENGTH = 4
/** 256 bits, five to a character. */
export const SECRET_LENGTH = 52

/** Gives ids whose random part sorts by time: ULIDs in Crockford's base 32. */
export interface IdSource {
  workspace(): WorkspaceId
  key(): KeyId
  /** @param prefix default `req_` */
  request(prefix?: RequestIdPrefix): RequestId
  transfer(): TransferId
  adminToken(): AdminTokenId
  /** Of one source in order, also within a millisecond. */
  audit(): AuditId
  /** A key's secret: the prefix and 256 random bits. */
  secret(): string
  /** An admin token itself: its prefix and 256 random bits. */
  adminSecret(): string
}

/**
 * @param now milliseconds since the epoch
 * @param random fills the given bytes with cryptographic randomness
 */
export function createIdSource(now: () => number, random: (bytes: Uint8Array) => void): IdSource {
  const pool = new Uint8Array(4096)
  let used = pool.length
  let ordered = { time: '', random: '', count: 0 }
  let last = { at: -1, text: '' }

  function byte(): number {
    if (used === pool.length) {
      random(pool)
      used = 0
    }
    return pool[used++] ?? 0
  }

  function randomPart(length: number): string {
    let text = ''
    for (let i = 0; i < length; i++) text += ALPHABET.charAt(byte() & 31)
    return text
  }

  /** Many ids are made in the same millisecond. */
  function timePart(): string {
    const at = now()
    if (at !== last.at) last = { at, text: encodeTime(at) }
    return last.text
  }

  function ulid(): string {
    return timePart() + randomPart(RANDOM_LENGTH)
  }

  function orderedUlid(): string {
    const time = timePart()
    if (time > ordered.time) ordered = { time, random: randomPart(RANDOM_LENGTH - COUNT_LENGTH), count: 0 }
    else ordered.count++
    return ordered.time + ordered.random + encode(ordered.count, COUNT_LENGTH)
  }

  return {
    workspace: () => `ws_${ulid()}` as WorkspaceId,
    key: () => `key_${ulid()}` as KeyId,
    request: (prefix = 'req_') => (prefix + ulid()) as RequestId,
    transfer: () => `tr_${ulid()}` as TransferId,
    adminToken: () => `token_${ulid()}` as AdminTokenId,
    audit: () => `audit_${orderedUlid()}` as AuditId,
    secret: () => KEY_PREFIX + randomPart(SECRET_LENGTH),
    adminSecret: () => ADMIN_TOKEN_PREFIX + randomPart(SECRET_LENGTH),
  }
}

/** The first ten characters of a ULID: 48 bits of milliseconds, most significant first. */
export function encodeTime(at: number): string {
  return encode(at, TIME_LENGTH)
}

function encode(value: number, length: number): string {
  let rest = value
  let text = ''
  for (let i = 0; i < length; i++) {
    text = ALPHABET.charAt(rest % 32) + text
    rest = Math.floor(rest / 32)
  }
  return text
}

const ID = /^[\w-]{1,64}$/

/** Whether a text from outside can be an id; anything else names nothing, and is not asked of the store. */
export function isIdLike(text: string): boolean {
  return ID.test(text)
}
