import type { ReasoningDetail } from '../../core/chat/request.ts'
import type { AssistantMessage } from '../../core/answer/wholeAnswer.ts'
import type { Thoughts } from './items.ts'
import { isOwnDetail, isSigned } from './secrets.ts'

/** Reasoning before it is an item. */
export type ThoughtBlock = OwnBlock | OtherBlock

/** An item of this format. */
interface OwnBlock {
  readonly kind: 'own'
  readonly thoughts: Thoughts
  /** The place that it had among the items of the answer it came in. */
  readonly place: number | undefined
}

/** A block of another format, or plain text. Those beside each other become one item. */
export interface OtherBlock {
  readonly kind: 'other'
  readonly detail: ReasoningDetail
}

/** The reasoning of a message, in the order of its blocks. Reasoning that no block shows comes first. */
export function thoughtBlocks({
  reasoning_content: text,
  reasoning_details: details = [],
}: AssistantMessage): ThoughtBlock[] {
  const blocks = groupOwn(details).flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    return isOwnDetail(first) ? [ownBlock(group)] : otherBlock(first)
  })
  return blocks.some(isShown) || !text ? blocks : [{ kind: 'other', detail: plainBlock(text) }, ...blocks]
}

/** A block of text that no provider has signed. */
export function plainBlock(text: string): ReasoningDetail {
  return { type: 'reasoning.text', text }
}

/** The text of a block that people can read. */
export function readableIn({ text, summary }: ReasoningDetail): string {
  return typeof summary === 'string' ? summary : (text ?? '')
}

/** What holds the blocks of one item together. */
export function keyOf({ index, id }: ReasoningDetail): unknown {
  return index ?? id
}

function isShown(block: ThoughtBlock): boolean {
  if (block.kind === 'other') return readableIn(block.detail) !== ''
  const { summary, content } = block.thoughts
  return summary.length > 0 || content.length > 0
}

function groupOwn(details: readonly ReasoningDetail[]): ReasoningDetail[][] {
  const groups: ReasoningDetail[][] = []
  for (const detail of details) {
    const last = groups.at(-1)
    const [first] = last ?? []
    const isSame = first && isOwnDetail(first) && isOwnDetail(detail) && keyOf(first) === keyOf(detail)
    if (isSame && last) last.push(detail)
    else groups.push([detail])
  }
  return groups
}

function ownBlock(details: readonly ReasoningDetail[]): ThoughtBlock {
  const ofType = (type: string): ReasoningDetail[] => details.filter((detail) => detail.type === type)
  const place = details[0]?.index
  return {
    kind: 'own',
    thoughts: {
      summary: ofType('reasoning.summary').map(readableIn),
      content: ofType('reasoning.text').map(readableIn),
      encrypted: ofType('reasoning.encrypted')[0]?.data,
    },
    place: typeof place === 'number' ? place : undefined,
  }
}

/** Without a signature and a text it says nothing. */
function otherBlock(detail: ReasoningDetail): ThoughtBlock[] {
  return isSigned(detail) || readableIn(detail) !== '' ? [{ kind: 'other', detail }] : []
}
