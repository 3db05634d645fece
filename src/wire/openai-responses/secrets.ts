import type { ReasoningDetail } from '../../core/chat/request.ts'
import { isJsonObject, parseJson } from '../../core/json.ts'
import { THOUGHT_FORMATS } from '../../core/thoughtFormat.ts'

const own = THOUGHT_FORMATS.openai

/**
 * Comes before what belongs to the signature of another format, as JSON: the format, and the call that it signs. The format's own encrypted content is base64, which has no colon.
 */
const MARK = 'tollgate-v1:'

/** Whether a block of reasoning is of this format: without a word for it, it is not. */
export function isOwnDetail({ format }: ReasoningDetail): boolean {
  return format === own
}

/** `encrypted_content` for a block of another format, which `readSecret` takes back; undefined where the block has no secret. */
export function markedSecret(detail: ReasoningDetail): string | undefined {
  if (!detail.signature && !detail.data) return undefined
  const secret = SECRET_FIELDS.flatMap((name) => {
    const value = detail[name]
    return isTaken(name, value) ? [[name, value] as const] : []
  })
  return MARK + JSON.stringify(Object.fromEntries(secret))
}

/** A caller can write a mark by itself: with no other fields than these, a block names nothing at a provider. */
const SECRET_FIELDS = ['type', 'id', 'signature', 'data', 'format', 'index'] as const

function isTaken(name: string, value: unknown): boolean {
  if (name === 'index') return typeof value === 'number'
  return SECRET_FIELDS.some((known) => known === name) && typeof value === 'string'
}

/** Whether the format itself made it. */
export function isOwnSecret(encrypted: string): boolean {
  return !encrypted.startsWith(MARK)
}

/**
 * The block that `encrypted_content` was made of.
 *
 * @param text the readable part, which is not in the secret
 * @returns `own` where the format made it itself; undefined where a marked one is not as `markedSecret` writes it
 */
export function readSecret(marked: string, text: string): ReasoningDetail | 'own' | undefined {
  if (isOwnSecret(marked)) return 'own'
  const secret = parseJson(marked.slice(MARK.length))
  if (!isJsonObject(secret) || secret.type === undefined) return undefined
  if (!Object.entries(secret).every(([name, value]) => isTaken(name, value))) return undefined
  const { type, ...rest } = secret as ReasoningDetail
  return { type, ...(type === 'reasoning.encrypted' && text === '' ? {} : { text }), ...rest }
}
