import type { Choice } from '../../core/answer/wholeAnswer.ts'
import type { ToolCall } from '../../core/chat/request.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { readObject, readText } from '../read.ts'
import type { Envelope } from '../wire.ts'
import {
  type Called,
  type ItemStatus,
  callItem,
  encodeAnnotation,
  itemId,
  messageItem,
  outputText,
  reasoningId,
  reasoningItem,
  refusalPart,
} from './items.ts'
import { type ThoughtBlock, thoughtBlocks } from './thoughtBlocks.ts'

/** An item that gets its id from its place. */
type Draft = (place: number, status: ItemStatus) => JsonObject

/**
 * The items of a whole answer: reasoning, the message, calls; each block of reasoning at the place that it says.
 * @param isCut the last item lacks its end
 */
export function encodeItems(choice: Choice, envelope: Envelope, isCut: boolean): JsonObject[] {
  const { message } = choice
  const calls = (message.tool_calls ?? []).map(calledIn)
  const blocks = thoughtBlocks(message)
  const callIds = new Set(calls.map(({ callId }) => callId))
  const isOfCall = ({ callId }: ThoughtBlock): boolean => callId !== undefined && callIds.has(callId)
  const reason =
    (block: ThoughtBlock): Draft =>
    (place) =>
      reasoningItem(reasoningId(envelope, place), block)
  const others: Draft[] = [
    ...writeMessage(choice, envelope),
    ...blocks.filter(isOfCall).map(reason),
    ...calls.map(
      (call): Draft =>
        (place, status) =>
          callItem(itemId(envelope, call.kind, place), status, call),
    ),
  ]
  const drafts = inPlace(
    blocks.filter((block) => !isOfCall(block)),
    others,
    reason,
  )
  return drafts.map((draft, place) =>
    draft(place, isCut && place === drafts.length - 1 ? 'incomplete' : 'completed'),
  )
}

/** Reasoning was made before what it led to. */
function inPlace(
  blocks: readonly ThoughtBlock[],
  others: readonly Draft[],
  reason: (block: ThoughtBlock) => Draft,
): Draft[] {
  const drafts: Draft[] = []
  let next = 0
  for (const block of blocks.toSorted((a, b) => (a.place ?? 0) - (b.place ?? 0))) {
    for (let other = others[next]; other && (block.place ?? 0) > drafts.length; other = others[++next])
      drafts.push(other)
    drafts.push(reason(block))
  }
  return [...drafts, ...others.slice(next)]
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
