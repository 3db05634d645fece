import type { Json, JsonObject } from '../../core/json.ts'
import { readObjects, readText } from '../read.ts'
import { sourcesOfDetails } from './decodeReasoningItems.ts'
import { type InputTurn, type PlacedItem, inputTurns, isCall } from './inputTurns.ts'

/** Where a message of the canonical request came from in the body. */
export interface MessagePlace {
  /** The caller's path to what is within the message; '' is the message. */
  path(within: string): string
}

/** A part of the caller's content, with its path. */
type PlacedPart = readonly [part: JsonObject, path: string]

/** One for each message that `decodeInstructions` and `decodeInput` make, in their order. */
export function messagePlaces({ instructions, input }: JsonObject): readonly MessagePlace[] {
  const first = readText(instructions) === undefined ? [] : [wholePlace('instructions')]
  if (!Array.isArray(input)) return [...first, wholePlace('input')]
  return [...first, ...inputTurns(input as readonly Json[]).map(placeOfTurn)]
}

function wholePlace(self: string): MessagePlace {
  return { path: () => self }
}

function placeOfTurn(turn: InputTurn): MessagePlace {
  switch (turn.kind) {
    case 'message':
      return placeOfMessage(turn.item)
    case 'answer':
      return placeOfAnswer(turn.items)
    case 'result':
      return placeOfResult(turn.item)
  }
}

function placeOfMessage([item, position]: PlacedItem): MessagePlace {
  const self = `input[${position}]`
  const content = `${self}.content`
  const parts = partsAt(item.content, content)
  return placeOf(self, (list, ordinal, within) =>
    list === 'content' ? pathOfPart(parts, content, ordinal, within) : undefined,
  )
}

function placeOfResult([item, position]: PlacedItem): MessagePlace {
  const self = `input[${position}]`
  const output = `${self}.output`
  const parts = partsAt(item.output, output)
  return placeOf(self, (list, ordinal, within) => {
    if (list === 'content') return pathOfPart(parts, output, ordinal, within)
    if (list === 'tool_call_id') return `${self}.call_id`
    return list === 'role' ? `${self}.type` : undefined
  })
}

function placeOfAnswer(items: readonly PlacedItem[]): MessagePlace {
  const calls = items.filter(([item]) => isCall(item))
  const thoughts = items.filter(([{ type }]) => type === 'reasoning')
  const apart = new Set([...calls, ...thoughts])
  const said = items.filter((item) => !apart.has(item))
  const spoken = said.flatMap(([item, position]): PlacedPart[] => {
    const content = `input[${position}].content`
    return typeof item.content === 'string' ? [[item, content]] : partsAt(item.content, content)
  })
  const parts = spoken.filter(([{ type }]) => type !== 'refusal')
  const self = pathOf(items[0])
  return placeOf(self, (list, ordinal, within) => {
    switch (list) {
      case 'content':
        return pathOfPart(parts, `${pathOf(said[0] ?? items[0])}.content`, ordinal, within)
      case 'refusal':
        return spoken.find(([{ type }]) => type === 'refusal')?.[1]
      case 'tool_calls':
        return pathOfItem(calls, ordinal) + withinCall(ordinal === undefined ? '' : within)
      case 'reasoning_details':
        return pathOfItem(itemsOfDetails(thoughts), ordinal)
      case 'reasoning_content':
        return pathOfItem(thoughts, undefined)
      default:
        return undefined
    }
  })
}

function placeOf(
  self: string,
  find: (list: string | undefined, ordinal: string | undefined, within: string) => string | undefined,
): MessagePlace {
  return {
    path(path) {
      const [, list, ordinal, within = ''] = /^\.([a-z_]+)(?:\[(\d+)\])?(.*)$/s.exec(path) ?? []
      return find(list, ordinal, within) ?? `${self}${path}`
    },
  }
}

function pathOf(item: PlacedItem | undefined): string {
  return item === undefined ? 'input' : `input[${item[1]}]`
}

/** A list of items by one of them, if it has a single one. */
function pathOfItem(items: readonly PlacedItem[], ordinal: string | undefined): string {
  const only = items.length === 1 ? items[0] : undefined
  return pathOf(ordinal === undefined ? only : items[Number(ordinal)])
}

/** The item of each block that the items make. */
function itemsOfDetails(thoughts: readonly PlacedItem[]): readonly PlacedItem[] {
  return sourcesOfDetails(thoughts.map(([item]) => item)).flatMap((source) =>
    thoughts.slice(source, source + 1),
  )
}

function partsAt(content: Json | undefined, path: string): PlacedPart[] {
  return readObjects(content).map((part, i): PlacedPart => [part, `${path}[${i}]`])
}

function pathOfPart(
  parts: readonly PlacedPart[],
  content: string,
  ordinal: string | undefined,
  within: string,
): string {
  const only = parts.length === 1 ? parts[0] : undefined
  if (ordinal === undefined) return (only?.[1] ?? content) + within
  const placed = parts[Number(ordinal)]
  return placed ? placed[1] + withinPart(placed[0], within) : content
}

function withinPart({ file_url: url }: JsonObject, within: string): string {
  const inFile = within.replace(/^\.file\b/, '')
  if (inFile !== within) return inFile === '.file_data' && typeof url === 'string' ? '.file_url' : inFile
  return within.replace(/^\.image_url\.detail/, '.detail').replace(/^\.image_url\.url/, '.image_url')
}

function withinCall(within: string): string {
  return within.replace(/^\.(?:function|custom)\b/, '').replace(/^\.id\b/, '.call_id')
}
