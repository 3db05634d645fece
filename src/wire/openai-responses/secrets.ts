import type { ReasoningDetail } from '../../core/chat/request.ts'
import { type Json, isJsonObject, parseJson } from '../../core/json.ts'
import { THOUGHT_FORMATS } from '../../core/thoughtFormat.ts'
import type { Envelope } from '../wire.ts'

const own = THOUGHT_FORMATS.openai

/**
 * Comes before blocks of other formats, as JSON: a single block without its text, which is in the summary, or a list of whole
 * blocks. The format's own encrypted content is base64, which has no colon.
 */
const MARK = 'tollgate-v1:'

/** Whether a block of reasoning is of this format: without a word for it, it is not. */
export function isOwnDetail({ format }: ReasoningDetail): boolean {
  return format === own
}

/** Whether a block has a secret, so that its provider takes it back as a block. Without one it is plain text. */
export function isSigned({ signature, data }: ReasoningDetail): boolean {
  return Boolean(signature) || Boolean(data)
}

/** Whether the caller keeps reasoning itself: some clients then drop what has no `encrypted_content`. */
export function wantsSecrets({ requestBody = {} }: Envelope): boolean {
  const { include, store } = requestBody
  return store === false || (Array.isArray(include) && include.includes('reasoning.encrypted_content'))
}

/**
 * Whether an item of these blocks of other formats has `encrypted_content`.
 *
 * @param sealsPlain as `wantsSecrets` says
 */
export function needsSecret(blocks: readonly ReasoningDetail[], sealsPlain: boolean): boolean {
  return blocks.some((block) => sealsPlain || isSigned(block))
}

/**
 * `encrypted_content` for an item of these blocks, which `readSecret` takes back.
 *
 * @param earlier the signed blocks of earlier items of the answer; undefined: it is the first. They are repeated, because clients
 * which join items without an id, or keep one item of an answer, have the last secret only
 */
export function markedSecret(
  blocks: readonly ReasoningDetail[],
  earlier: readonly ReasoningDetail[] | undefined,
): string {
  const [first, ...others] = blocks
  const isSingle = earlier === undefined && others.length === 0 && first !== undefined
  return (
    MARK +
    JSON.stringify(
      isSingle
        ? fieldsOf(first, SECRET_FIELDS)
        : [...(earlier ?? []), ...blocks].map((block) => fieldsOf(block, BLOCK_FIELDS)),
    )
  )
}

/** A caller can write a mark by itself: with no other fields than these, a block names nothing at a provider. */
const SECRET_FIELDS: readonly string[] = ['type', 'id', 'signature', 'data', 'format', 'index']
const BLOCK_FIELDS: readonly string[] = ['type', 'text', 'summary', ...SECRET_FIELDS.slice(1)]

function fieldsOf(block: ReasoningDetail, names: readonly string[]): object {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = block[name]
      return isTaken(name, value) ? [[name, value] as const] : []
    }),
  )
}

function isTaken(name: string, value: unknown): boolean {
  return name === 'index' ? typeof value === 'number' : typeof value === 'string'
}

/** Whether the format itself made it. */
export function isOwnSecret(encrypted: string): boolean {
  return !encrypted.startsWith(MARK)
}

/**
 * The blocks that `encrypted_content` was made of.
 *
 * @param text the readable part, which is not in the secret of a single block
 * @returns `own` where the format made it itself; undefined where a marked one is not as `markedSecret` writes it
 */
export function readSecret(marked: string, text: string): readonly ReasoningDetail[] | 'own' | undefined {
  if (isOwnSecret(marked)) return 'own'
  const secret = parseJson(marked.slice(MARK.length))
  if (Array.isArray(secret)) {
    const blocks = (secret as readonly Json[]).flatMap((block) => readBlock(block, BLOCK_FIELDS) ?? [])
    return blocks.length > 0 && blocks.length === secret.length ? blocks : undefined
  }
  const block = readBlock(secret, SECRET_FIELDS)
  if (block === undefined) return undefined
  const { type, ...rest } = block
  return [{ type, ...(type === 'reasoning.encrypted' && text === '' ? {} : { text }), ...rest }]
}

function readBlock(secret: Json | undefined, names: readonly string[]): ReasoningDetail | undefined {
  if (!isJsonObject(secret) || secret.type === undefined) return undefined
  const isWritten = Object.entries(secret).every(
    ([name, value]) => names.includes(name) && isTaken(name, value),
  )
  return isWritten ? (secret as ReasoningDetail) : undefined
}
