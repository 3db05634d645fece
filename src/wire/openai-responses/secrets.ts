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
  return MARK + JSON.stringify(isSingle ? withoutText(first) : [...(earlier ?? []), ...blocks])
}

function withoutText({ text: _text, summary: _summary, ...secret }: ReasoningDetail): object {
  return secret
}

/** Whether the format itself made it. */
export function isOwnSecret(encrypted: string): boolean {
  return !encrypted.startsWith(MARK)
}

/**
 * The blocks that `encrypted_content` was made of.
 *
 * @param text the readable part, which is not in the secret of a single block
 * @returns `own` where the format made it itself; undefined where a marked one was changed
 */
export function readSecret(marked: string, text: string): readonly ReasoningDetail[] | 'own' | undefined {
  if (isOwnSecret(marked)) return 'own'
  const secret = parseJson(marked.slice(MARK.length))
  if (Array.isArray(secret)) {
    const blocks = (secret as readonly Json[]).flatMap((block) => readBlock(block) ?? [])
    return blocks.length > 0 && blocks.length === secret.length ? blocks : undefined
  }
  const block = readBlock(secret)
  if (block === undefined) return undefined
  const { type, ...rest } = block
  return [{ type, ...(type === 'reasoning.encrypted' && text === '' ? {} : { text }), ...rest }]
}

function readBlock(secret: Json | undefined): ReasoningDetail | undefined {
  if (!isJsonObject(secret) || typeof secret.type !== 'string') return undefined
  const { signature, data, id, text, summary } = secret
  return [signature, data, id, text, summary].every(isText) ? (secret as ReasoningDetail) : undefined
}

function isText(value: unknown): boolean {
  return value === undefined || typeof value === 'string'
}
