import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** What a sealed text can be opened with: both of them, as they were. */
export interface SealSecrets {
  readonly credential: string
  readonly idempotencyKey: string
}

/** Encrypts a text under a key derived from both secrets (AES-256-GCM, HKDF of RFC 5869). Base64. */
export function seal(text: string, secrets: SealSecrets): string {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, keyOf(secrets), nonce)
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
}

/** Undefined when it was sealed with other secrets. */
export function unseal(sealed: string, secrets: SealSecrets): string | undefined {
  const bytes = Buffer.from(sealed, 'base64')
  const decipher = createDecipheriv(CIPHER, keyOf(secrets), bytes.subarray(0, NONCE_BYTES))
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
  const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES))
  try {
    return Buffer.concat([text, decipher.final()]).toString('utf8')
  } catch {
    // The tag does not fit: Node tells that by throwing, and by nothing else.
    return undefined
  }
}

function keyOf({ credential, idempotencyKey }: SealSecrets): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', credential, idempotencyKey, 'tollgate admin answer', KEY_BYTES))
}
