import type { Choice } from '../../core/answer/wholeAnswer.ts'
import type { ReasoningDetail, ToolCall } from '../../core/chat/request.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { readObject, readText } from '../read.ts'
import type { Envelope } from '../wire.ts'
import {
  type Called,
  type ItemStatus,
  type Thoughts,
  callItem,
  encodeAnnotation,
  itemId,
  messageItem,
  outputText,
  reasoningId,
  reasoningItem,
  refusalPart,
} from './items.ts'
import { isSigned, markedSecret, needsSecret, wantsSecrets } from './secrets.ts'
import { type OtherBlock, type ThoughtBlock, readableIn, thoughtBlocks } from './thoughtBlocks.ts'

/** An item that gets its id from its place. */
type Draft = (place: number, status: ItemStatus) => JsonObject

/** What becomes an item. A list is the blocks of other formats that are beside each other. */
type Piece = Draft | readonly ReasoningDetail[]

/**
 * The items of a whole answer: reasoning, the message, calls; each block of reasoning at the place that it says.
 * @param isCut the last item lacks its end
 */
export function encodeItems(choice: Choice, envelope: Envelope, isCut: boolean): JsonObject[] {
  const { message } = choice
  const calls = (message.tool_calls ?? []).map(calledIn)
  const callIds: ReadonlySet<unknown> = new Set(calls.map(({ callId }) => callId))
  const blocks = thoughtBlocks(message)
  const signatures = blocks.flatMap((block) => (isOfCall(block, callIds) ? [block.detail] : []))
  const others: Piece[] = [
    ...writeMessage(choice, envelope),
    ...(signatures.length > 0 ? [signatures] : []),
    ...calls.map(
      (call): Draft =>
        (place, status) =>
          callItem(itemId(envelope, call.kind, place), status, call),
    ),
  ]
  const pieces = inPlace(
    blocks.filter((block) => !isOfCall(block, callIds)),
    others,
    envelope,
  )
  const drafts = sealed(pieces, envelope)
  return drafts.map((draft, place) =>
    draft(place, isCut && place === drafts.length - 1 ? 'incomplete' : 'completed'),
  )
}

function isOfCall(block: ThoughtBlock, callIds: ReadonlySet<unknown>): block is OtherBlock {
  return block.kind === 'other' && callIds.has(block.detail.id)
}

/** Reasoning was made before what it led to. */
function inPlace(blocks: readonly ThoughtBlock[], others: readonly Piece[], envelope: Envelope): Piece[] {
  const pieces: (Draft | ReasoningDetail[])[] = []
  let next = 0
  for (const block of blocks.toSorted((a, b) => placeOf(a) - placeOf(b))) {
    for (let other = others[next]; other && placeOf(block) > pieces.length; other = others[++next])
      addPiece(pieces, other)
    addPiece(pieces, block.kind === 'own' ? reasoningDraft(block.thoughts, envelope) : [block.detail])
  }
  for (const piece of others.slice(next)) addPiece(pieces, piece)
  return pieces
}

function placeOf(block: ThoughtBlock): number {
  return block.kind === 'own' ? (block.place ?? 0) : 0
}

function addPiece(pieces: (Draft | ReasoningDetail[])[], piece: Piece): void {
  const last = pieces.at(-1)
  if (typeof piece === 'function') pieces.push(piece)
  else if (last === undefined || typeof last === 'function') pieces.push([...piece])
  else for (const detail of piece) last.push(detail)
}

/** Makes items of the blocks of other formats. */
function sealed(pieces: readonly Piece[], envelope: Envelope): Draft[] {
  const sealsPlain = wantsSecrets(envelope)
  let earlier: readonly ReasoningDetail[] | undefined
  return pieces.map((piece) => {
    if (typeof piece === 'function') return piece
    const encrypted = needsSecret(piece, sealsPlain) ? markedSecret(piece, earlier) : undefined
    earlier = [...(earlier ?? []), ...piece.filter(isSigned)]
    const summary = piece.map(readableIn).filter((text) => text !== '')
    return reasoningDraft({ summary, content: [], encrypted }, envelope)
  })
}

function reasoningDraft(thoughts: Thoughts, envelope: Envelope): Draft {
  return (place) => reasoningItem(reasoningId(envelope, place), thoughts)
}

function writeMessage({ message, logprobs }: Choice, envelope: Envelope): Draft[] {
  const { content, refusal } = message
  const parts: JsonObject[] = []
  if (content) {
    const annotations = (message.annotations ?? []).map((annotation) => encodeAnnotation(annotation))
    parts.push(outputText(content, annotations.filter(isSaid), logprobsIn(logprobs)))
  }
  if (refusal) parts.push(refusalPart(refusal))
  if (parts.length === 0) return []
  return [(place, status) => messageItem(itemId(envelope, 'message', place), status, parts)]
}

function isSaid(annotation: JsonObject | undefined): annotation is JsonObject {
  return annotation !== undefined
}

/** The log probabilities of the tokens of a text. */
export function logprobsIn(logprobs: JsonObject | null | undefined): readonly Json[] {
  const content = logprobs?.content
  return Array.isArray(content) ? (content as readonly Json[]) : []
}

function calledIn(call: ToolCall): Called {
  const custom = readObject(call.custom)
  if (custom && call.function === undefined)
    return {
      kind: 'custom',
      callId: call.id,
      name: readText(custom.name) ?? '',
      input: readText(custom.input) ?? '',
    }
  const { name, arguments: input } = call.function
  return { kind: 'function', callId: call.id, name, input }
}
