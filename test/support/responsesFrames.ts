import type { Frame } from '../../src/core/answer/frame.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { readObjects, readText } from '../../src/wire/read.ts'

/**
 * What a server sends before the final list of items: pieces of all texts, whole parts, whole items, or nothing. All but
 * `final` send what is after them too.
 */
export type ResponsesWay = 'pieces' | 'parts' | 'items' | 'final'

export const RESPONSES_WAYS: readonly ResponsesWay[] = ['pieces', 'parts', 'items', 'final']

const PIECE_LENGTH = 3

/** The frames of a stream that ends with this response, as OpenAI sends them. */
export function responsesFrames(response: JsonObject, way: ResponsesWay = 'pieces'): Frame[] {
  const begun = { ...response, status: 'in_progress', output: [], usage: null, incomplete_details: null }
  const status = readText(response.status) ?? 'completed'
  const items =
    way === 'final' ? [] : readObjects(response.output).flatMap((item, i) => itemEvents(item, i, way))
  return [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items,
    { type: `response.${status}`, response },
  ].map((event, sequence_number) => responsesFrame({ ...event, sequence_number }))
}

export function responsesFrame(event: JsonObject): Frame {
  return { event: readText(event.type), data: JSON.stringify(event) }
}

function itemEvents(item: JsonObject, output_index: number, way: ResponsesWay): JsonObject[] {
  const at = { item_id: item.id ?? null, output_index }
  const done = { type: 'response.output_item.done', output_index, item }
  if (way === 'items') return [done]
  return [
    { type: 'response.output_item.added', output_index, item: emptied(item) },
    ...(way === 'pieces' ? contentEvents(item, at) : contentEvents(item, at).filter(isWhole)),
    done,
  ]
}

function isWhole({ type }: JsonObject): boolean {
  return !readText(type)?.endsWith('.delta') && type !== 'response.output_text.annotation.added'
}

function emptied(item: JsonObject): JsonObject {
  const { content: _content, encrypted_content: _encrypted, ...rest } = item
  switch (item.type) {
    case 'message':
      return { ...rest, status: 'in_progress', content: [] }
    case 'reasoning':
      return { ...rest, summary: [] }
    case 'function_call':
      return { ...rest, status: 'in_progress', arguments: '' }
    case 'custom_tool_call':
      return { ...rest, status: 'in_progress', input: '' }
    default:
      return item
  }
}

function contentEvents(item: JsonObject, at: JsonObject): JsonObject[] {
  switch (item.type) {
    case 'message':
      return readObjects(item.content).flatMap((part, i) => partEvents(part, { ...at, content_index: i }))
    case 'reasoning':
      return [
        ...readObjects(item.summary).flatMap((part, i) => summaryEvents(part, { ...at, summary_index: i })),
        ...readObjects(item.content).flatMap(({ text }, i) =>
          textEvents('response.reasoning_text', 'text', text, { ...at, content_index: i }),
        ),
      ]
    case 'function_call':
      return textEvents('response.function_call_arguments', 'arguments', item.arguments, at)
    case 'custom_tool_call':
      return textEvents('response.custom_tool_call_input', 'input', item.input, at)
    default:
      return []
  }
}

function partEvents(part: JsonObject, at: JsonObject): JsonObject[] {
  const added = { type: 'response.content_part.added', ...at }
  const done = { type: 'response.content_part.done', ...at, part }
  if (part.type === 'refusal')
    return [
      { ...added, part: { type: 'refusal', refusal: '' } },
      ...textEvents('response.refusal', 'refusal', part.refusal, at),
      done,
    ]
  const annotations = readObjects(part.annotations).map((annotation, annotation_index) => ({
    type: 'response.output_text.annotation.added',
    ...at,
    annotation_index,
    annotation,
  }))
  return [
    { ...added, part: { type: 'output_text', text: '', annotations: [], logprobs: [] } },
    ...textEvents('response.output_text', 'text', part.text, at),
    ...annotations,
    done,
  ]
}

function summaryEvents({ text }: JsonObject, at: JsonObject): JsonObject[] {
  return [
    { type: 'response.reasoning_summary_part.added', ...at, part: { type: 'summary_text', text: '' } },
    ...textEvents('response.reasoning_summary_text', 'text', text, at),
    { type: 'response.reasoning_summary_part.done', ...at, part: { type: 'summary_text', text: text ?? '' } },
  ]
}

function textEvents(name: string, field: string, value: unknown, at: JsonObject): JsonObject[] {
  const text = readText(value) ?? ''
  const pieces = text.match(new RegExp(`[^]{1,${PIECE_LENGTH}}`, 'gu')) ?? []
  return [
    ...pieces.map((delta) => ({ type: `${name}.delta`, ...at, delta, obfuscation: 'xYz' })),
    { type: `${name}.done`, ...at, [field]: text },
  ]
}
