import type { ReasoningDetail } from '../../core/chat/request.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { THOUGHT_FORMATS } from '../../core/thoughtFormat.ts'
import { readObjects, readText } from '../read.ts'
import { invalid, isAbsent, optionalString, requireObjects, requireString } from '../requestReader.ts'
import { isOwnDetail, isSigned, readSecret } from './secrets.ts'
import { readableIn } from './thoughtBlocks.ts'

const format = THOUGHT_FORMATS.openai
/** Between the parts of a summary. */
const BLANK_LINE = '\n\n'

/** What reasoning items say: as text for models that read it, and as blocks for those that must get them back. */
export interface DecodedReasoning {
  readonly reasoning_content?: string
  readonly reasoning_details?: readonly ReasoningDetail[]
}

/** A reasoning item with the place that it has among the items of its answer. */
export interface ReasoningAt {
  readonly item: JsonObject
  readonly place: number
  readonly param: string
}

export function decodeReasoningItems(items: readonly ReasoningAt[]): DecodedReasoning {
  const blocks = new Map<unknown, ReasoningDetail>()
  const texts: string[] = []
  for (const item of items) {
    const said = readItem(item)
    const fresh = said.blocks.filter(([key, block]) => !blocks.has(key) && !isOwnDetail(block))
    for (const [key, block] of said.blocks) blocks.set(key, block)
    const sealed = fresh.map(([, block]) => readableIn(block))
    // A client may have left out a part of the summary.
    texts.push(...(sealed.every((text) => said.text.includes(text)) ? [said.text] : sealed))
  }
  const details = [...blocks.values()].filter((block) => isOwnDetail(block) || isSigned(block))
  const text = texts.filter((said) => said !== '').join(BLANK_LINE)
  return {
    ...(text !== '' && { reasoning_content: text }),
    ...(details.length > 0 && { reasoning_details: details }),
  }
}

interface ReadItem {
  /** With what makes each the same as one of another item: later items repeat the signed blocks of earlier ones. */
  readonly blocks: readonly (readonly [key: unknown, block: ReasoningDetail])[]
  /** The readable part. */
  readonly text: string
}

/** A summary alone is text: no provider needs it back as a block. */
function readItem({ item, place, param }: ReasoningAt): ReadItem {
  const summary = textsOf(item.summary, `${param}.summary`)
  const content = textsOf(item.content, `${param}.content`)
  const encrypted = readText(optionalString(item.encrypted_content, `${param}.encrypted_content`))
  const text = (summary.length > 0 ? summary : content).join(BLANK_LINE)
  if (content.length === 0 && encrypted === undefined) return { blocks: [], text }
  const others = encrypted === undefined ? 'own' : readSecret(encrypted, summary.join(BLANK_LINE))
  if (others === undefined) invalid(`${param}.encrypted_content`, 'is not as the gateway gave it')
  if (others !== 'own') return { blocks: keyed(others), text }
  const id = readText(optionalString(item.id, `${param}.id`))
  const of = { format, ...(id !== undefined && { id }), index: place }
  const own: ReasoningDetail[] = [
    ...summary.map((part) => ({ type: 'reasoning.summary', summary: part, ...of })),
    ...content.map((thought) => ({ type: 'reasoning.text', text: thought, ...of })),
    ...(encrypted === undefined ? [] : [{ type: 'reasoning.encrypted', data: encrypted, ...of }]),
  ]
  return { blocks: own.map((block) => [block, block]), text }
}

/** By what is secret of them: a client may have changed the text of an item. */
function keyed(blocks: readonly ReasoningDetail[]): [key: unknown, block: ReasoningDetail][] {
  const counts = new Map<string, number>()
  return blocks.map((block) => {
    if (!isSigned(block)) return [block, block]
    const { type, format: of, id, signature, data } = block
    const secret = JSON.stringify([type, of, id, signature, data])
    const count = counts.get(secret) ?? 0
    counts.set(secret, count + 1)
    return [`${secret}${count}`, block]
  })
}

/** For each block that the items make, the place of the item that first has it. Does not throw. */
export function sourcesOfDetails(items: readonly JsonObject[]): readonly number[] {
  const sources = new Map<unknown, number>()
  for (const [place, item] of items.entries())
    for (const key of keysIn(item)) if (!sources.has(key)) sources.set(key, place)
  return [...sources.values()]
}

function keysIn({ summary, content, encrypted_content: encrypted }: JsonObject): readonly unknown[] {
  const secret = readText(encrypted)
  const others = secret === undefined ? 'own' : readSecret(secret, '')
  if (others !== 'own') return keyed((others ?? []).filter(isSigned)).map(([key]) => key)
  const shown = readObjects(content).length
  if (shown === 0 && secret === undefined) return []
  const length = readObjects(summary).length + shown + (secret === undefined ? 0 : 1)
  return Array.from({ length }, () => Symbol('block'))
}

/** Clients write null for what an item does not have. */
function textsOf(parts: Json | undefined, param: string): readonly string[] {
  if (isAbsent(parts)) return []
  return requireObjects(parts, param).map(({ text }, i) => requireString(text, `${param}[${i}].text`))
}
