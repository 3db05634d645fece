import type { JsonObject } from '../../../src/core/json.ts'
import { textOf } from '../callers/compact.ts'

type Growing = Record<string, unknown>

/** Where an event that adds to a text adds to it. */
const TEXTS: Readonly<Record<string, { readonly list?: 'content' | 'summary'; readonly field: string }>> = {
  'response.output_text': { list: 'content', field: 'text' },
  'response.refusal': { list: 'content', field: 'refusal' },
  'response.reasoning_text': { list: 'content', field: 'text' },
  'response.reasoning_summary_text': { list: 'summary', field: 'text' },
  'response.function_call_arguments': { field: 'arguments' },
  'response.custom_tool_call_input': { field: 'input' },
}

/** Whether an event adds to its item; others say what is done. */
export function isPiece(type: string): boolean {
  return /\.(?:delta|added)$/.test(type)
}

/** Adds what an event says to its item. Throws for an event that the format does not have. */
export function addPiece(item: Growing, type: string, event: JsonObject): void {
  switch (type) {
    case 'response.content_part.added':
    case 'response.reasoning_summary_part.added':
      openPart(item, event)
      break
    case 'response.output_text.annotation.added': {
      const part = partAt(item, event)
      part['annotations'] = listPlus(part['annotations'], event['annotation'], event['annotation_index'])
      break
    }
    default: {
      const { holder, field } = textAt(item, type.replace(/\.delta$/, ''), event)
      holder[field] = textOf(holder[field] as string) + textOf(event['delta'])
      const logprobs = (event['logprobs'] ?? []) as unknown[]
      if (logprobs.length > 0)
        holder['logprobs'] = [...((holder['logprobs'] ?? []) as unknown[]), ...logprobs]
    }
  }
}

/** Whether what an event calls done is what came in pieces. */
export function isWhatCame(item: Growing, type: string, event: JsonObject): boolean {
  if (type === 'response.content_part.done' || type === 'response.reasoning_summary_part.done')
    return Bun.deepEquals(event['part'], partAt(item, event))
  const { holder, field } = textAt(item, type.replace(/\.done$/, ''), event)
  return event[field] === holder[field]
}

function openPart(item: Growing, event: JsonObject): void {
  const list = listOf(event)
  item[list] = listPlus(item[list], { ...(event['part'] as JsonObject) }, event[`${list}_index`])
}

function partAt(item: Growing, event: JsonObject): Growing {
  const list = listOf(event)
  const part = (item[list] as Growing[] | undefined)?.[Number(event[`${list}_index`])]
  if (part === undefined) throw new Error(`no part: ${JSON.stringify(event)}`)
  return part
}

function listOf(event: JsonObject): 'content' | 'summary' {
  return event['summary_index'] === undefined ? 'content' : 'summary'
}

function textAt(item: Growing, name: string, event: JsonObject): { holder: Growing; field: string } {
  const place = TEXTS[name]
  if (place === undefined) throw new Error(`not an event of Responses: ${JSON.stringify(event)}`)
  return { holder: place.list === undefined ? item : partAt(item, event), field: place.field }
}

function listPlus(list: unknown, value: unknown, index: unknown): unknown[] {
  const known = (list ?? []) as unknown[]
  if (index !== known.length) throw new Error(`${String(index)} is not the next of ${known.length}`)
  return [...known, value]
}
