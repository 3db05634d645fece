import type { ReasoningDetail } from '../../core/chat/request.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { THOUGHT_FORMATS } from '../../core/thoughtFormat.ts'
import { readObjects, readText } from '../read.ts'
import { invalid, isAbsent, optionalString, requireObjects, requireString } from '../requestReader.ts'
import { readSecret } from './secrets.ts'

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
  const details = items.flatMap(detailsOf)
  const text = items
    .map(readableText)
    .filter((said) => said !== '')
    .join(BLANK_LINE)
  return {
    ...(text !== '' && { reasoning_content: text }),
    ...(details.length > 0 && { reasoning_details: details }),
  }
}

function readableText({ item, param }: ReasoningAt): string {
  const summary = textsOf(item.summary, `${param}.summary`)
  return (summary.length > 0 ? summary : textsOf(item.content, `${param}.content`)).join(BLANK_LINE)
}

/** The blocks of one item. A summary alone is text: no provider needs it back as a block. */
function detailsOf({ item, place, param }: ReasoningAt): ReasoningDetail[] {
  const summary = textsOf(item.summary, `${param}.summary`)
  const content = textsOf(item.content, `${param}.content`)
  const encrypted = readText(optionalString(item.encrypted_content, `${param}.encrypted_content`))
  if (content.length === 0 && encrypted === undefined) return []
  const foreign = encrypted === undefined ? 'own' : readSecret(encrypted, summary.join(BLANK_LINE))
  if (foreign === undefined) invalid(`${param}.encrypted_content`, 'is not as the gateway gave it')
  if (foreign !== 'own') return [foreign]
  const id = readText(optionalString(item.id, `${param}.id`))
  const of = { format, ...(id !== undefined && { id }), index: place }
  return [
    ...summary.map((part) => ({ type: 'reasoning.summary', summary: part, ...of })),
    ...content.map((text) => ({ type: 'reasoning.text', text, ...of })),
    ...(encrypted === undefined ? [] : [{ type: 'reasoning.encrypted', data: encrypted, ...of }]),
  ]
}

/** How many blocks an item makes. Does not throw. */
export function countOfDetails({ summary, content, encrypted_content: encrypted }: JsonObject): number {
  const text = readText(encrypted)
  if (text !== undefined && readSecret(text, '') !== 'own') return 1
  const shown = readObjects(content).length
  if (shown === 0 && text === undefined) return 0
  return readObjects(summary).length + shown + (text === undefined ? 0 : 1)
}

/** Clients write null for what an item does not have. */
function textsOf(parts: Json | undefined, param: string): readonly string[] {
  if (isAbsent(parts)) return []
  return requireObjects(parts, param).map(({ text }, i) => requireString(text, `${param}[${i}].text`))
}
