import type { ReasoningDetail } from '../../core/chat/request.ts'
import type { AssistantMessage } from '../../core/answer/wholeAnswer.ts'
import type { Thoughts } from './items.ts'
import { isOwnDetail, markedSecret } from './secrets.ts'

/** A reasoning item before it has an id. */
export interface ThoughtBlock extends Thoughts {
  /** The place that it had among the items of the answer it came in. */
  readonly place?: number
  /** The call that its signature belongs to. */
  readonly callId?: string
}

/** The reasoning items of a message, in the order of their blocks. Reasoning that has no block is the summary of the first. */
export function thoughtBlocks({
  reasoning_content: text,
  reasoning_details: details = [],
}: AssistantMessage): ThoughtBlock[] {
  const blocks = groupOwn(details).flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    return isOwnDetail(first) ? [ownBlock(group)] : foreignBlock(first)
  })
  const shown = blocks.some(({ summary, content }) => summary.length > 0 || content.length > 0)
  return shown || !text ? blocks : [{ summary: [text], content: [] }, ...blocks]
}

/** The text of a block that people can read. */
export function readableIn({ text, summary }: ReasoningDetail): string {
  return typeof summary === 'string' ? summary : (text ?? '')
}

/** What holds the blocks of one item together. */
export function keyOf({ index, id }: ReasoningDetail): unknown {
  return index ?? id
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
    summary: ofType('reasoning.summary').map(readableIn),
    content: ofType('reasoning.text').map(readableIn),
    encrypted: ofType('reasoning.encrypted')[0]?.data,
    ...(typeof place === 'number' && { place }),
  }
}

/** Without a signature and a text it says nothing. */
function foreignBlock(detail: ReasoningDetail): ThoughtBlock[] {
  const text = readableIn(detail)
  const encrypted = markedSecret(detail)
  if (text === '' && encrypted === undefined) return []
  const { id } = detail
  return [
    { summary: text === '' ? [] : [text], content: [], encrypted, ...(id !== undefined && { callId: id }) },
  ]
}
