import type { Json, JsonObject } from '../../core/json.ts'
import { readObject, readText } from '../read.ts'
import type { Envelope } from '../wire.ts'

export type ItemStatus = 'in_progress' | 'completed' | 'incomplete'

/** How the ids of the kinds of items begin. */
const PREFIXES = { message: 'msg', reasoning: 'rs', function: 'fc', custom: 'ctc' } as const

/**
 * The id of an item: the same whole and streamed.
 * @param place among the items of its answer
 */
export function itemId({ id }: Envelope, kind: keyof typeof PREFIXES, place: number): string {
  return `${PREFIXES[kind]}_${id.slice(id.indexOf('_') + 1)}_${place}`
}

/**
 * The id of a reasoning item. Callers refer to items by it, so it is empty where the answer is not kept. It is never absent: clients
 * that check what they read take no reasoning without a string there.
 */
export function reasoningId(envelope: Envelope, place: number): string {
  return envelope.kept ? itemId(envelope, 'reasoning', place) : ''
}

/** What a reasoning item holds. */
export interface Thoughts {
  readonly summary: readonly string[]
  /** The reasoning itself, where the model shows it. */
  readonly content: readonly string[]
  readonly encrypted?: string | undefined
}

export function reasoningItem(id: string, { summary, content, encrypted }: Thoughts): JsonObject {
  return {
    id,
    type: 'reasoning',
    summary: summary.map((text) => ({ type: 'summary_text', text })),
    ...(content.length > 0 && { content: content.map((text) => ({ type: 'reasoning_text', text })) }),
    ...(encrypted !== undefined && { encrypted_content: encrypted }),
  }
}

export function messageItem(id: string, status: ItemStatus, content: readonly JsonObject[]): JsonObject {
  return { id, type: 'message', status, role: 'assistant', content }
}

export function outputText(
  text: string,
  annotations: readonly JsonObject[] = [],
  logprobs: readonly Json[] = [],
): JsonObject {
  return { type: 'output_text', text, annotations, logprobs }
}

export function refusalPart(refusal: string): JsonObject {
  return { type: 'refusal', refusal }
}

/** What a call says of itself, whichever kind of tool it calls. */
export interface Called {
  readonly kind: 'function' | 'custom'
  readonly callId: string
  readonly name: string
  /** Arguments of a function, input of another tool. */
  readonly input: string
}

export function callItem(id: string, status: ItemStatus, { kind, callId, name, input }: Called): JsonObject {
  return kind === 'function'
    ? { id, type: 'function_call', status, call_id: callId, name, arguments: input }
    : { id, type: 'custom_tool_call', status, call_id: callId, name, input }
}

/** A citation of the web as an annotation of the text that begins at `start`; undefined for another kind of annotation. */
export function encodeAnnotation(annotation: JsonObject, start = 0): JsonObject | undefined {
  const citation = readObject(annotation.url_citation)
  const url = readText(citation?.url)
  if (annotation.type !== 'url_citation' || !citation || url === undefined) return undefined
  const place = (value: Json | undefined): number => (typeof value === 'number' ? value - start : 0)
  return {
    type: 'url_citation',
    start_index: place(citation.start_index),
    end_index: place(citation.end_index),
    url,
    title: readText(citation.title) ?? '',
  }
}
