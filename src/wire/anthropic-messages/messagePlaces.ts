import type { Json, JsonObject } from '../../core/json.ts'
import { readObject, readObjects } from '../read.ts'
import { sourceUrl } from './parts.ts'
import { thinkingDetails } from './reasoning.ts'
import { type Placed, turnParts } from './turnParts.ts'

/** Where a message of the canonical request came from in the body. */
export interface MessagePlace {
  /** The caller's path to what is within the message; '' is the message. */
  path(within: string): string
}

/** What a message was made of. */
interface Source {
  readonly self: string
  readonly role: string
  /** Its content, and the list of the blocks below. */
  readonly content: string
  readonly parts: readonly Placed[]
  readonly calls?: readonly Placed[]
  readonly thoughts?: readonly Placed[]
}

/** One for each message that `decodeSystem` and `decodeMessages` make, in their order. */
export function messagePlaces({ system, messages }: JsonObject): readonly MessagePlace[] {
  const turns = Array.isArray(messages) ? messages.map((turn) => readObject(turn) ?? {}) : []
  return [...placesOfSystem(system), ...turns.flatMap((turn, i) => placesOfTurn(turn, `messages[${i}]`))]
}

function placesOfSystem(system: Json | undefined): MessagePlace[] {
  const source = { self: 'system', role: 'system', content: 'system' }
  if (typeof system === 'string') return system === '' ? [] : [placeOf({ ...source, parts: [] })]
  const { parts } = turnParts('system', readObjects(system))
  return parts.length === 0 ? [] : [placeOf({ ...source, parts })]
}

function placesOfTurn({ role, content }: JsonObject, self: string): MessagePlace[] {
  const source = { self, role: `${self}.role`, content: `${self}.content` }
  if (role !== 'user' && role !== 'assistant' && role !== 'system') return []
  const { results, parts, calls, thoughts } = turnParts(role, readObjects(content))
  const ofResults = results.map((result) => placeOfResult(result, source.content))
  const own = parts.length > 0 || results.length === 0
  return [...ofResults, ...(own ? [placeOf({ ...source, parts, calls, thoughts })] : [])]
}

function placeOfResult([block, position]: Placed, list: string): MessagePlace {
  const self = `${list}[${position}]`
  const { parts } = turnParts('system', readObjects(block.content))
  return placeOf({ self, role: `${self}.type`, content: `${self}.content`, parts })
}

function placeOf(source: Source): MessagePlace {
  const { self, content, parts, calls = [], thoughts = [] } = source
  const signed = thoughts.filter(([block]) => thinkingDetails(block).length > 0)
  /** A list of blocks by one of them, if it has a single one. */
  const only = (blocks: readonly Placed[]): string =>
    blocks.length === 1 ? `${content}[${blocks[0]?.[1]}]` : content
  const block = (blocks: readonly Placed[], ordinal: string, name: (block: JsonObject) => string): string => {
    const placed = blocks[Number(ordinal)]
    return placed ? `${content}[${placed[1]}]${name(placed[0])}` : content
  }
  return {
    path(within) {
      const [, list, ordinal, inBlock = ''] = /^\.([a-z_]+)(?:\[(\d+)\])?(.*)$/s.exec(within) ?? []
      switch (list) {
        case 'role':
          return source.role
        case 'content':
          return ordinal === undefined
            ? only(parts)
            : block(parts, ordinal, (part) => withinPart(part, inBlock))
        case 'tool_calls':
          return ordinal === undefined ? only(calls) : block(calls, ordinal, () => withinCall(inBlock))
        case 'reasoning_details':
          return ordinal === undefined ? only(signed) : block(signed, ordinal, () => withinThought(inBlock))
        case 'reasoning_content':
          return only(thoughts)
        case 'tool_call_id':
          return `${self}.tool_use_id`
        default:
          return `${self}${within}`
      }
    },
  }
}

function withinPart(block: JsonObject, within: string): string {
  const source = readObject(block.source) ?? {}
  const isCarried = (block.type !== 'image' && block.type !== 'document') || sourceUrl(source) === undefined
  if (isCarried || !/^\.(?:image_url|file)\b/.test(within)) return within
  if (within === '.file.filename') return '.title'
  const isAddress = within === '.image_url.url' || within === '.file.file_data'
  return isAddress && source.type === 'url' ? '.source.url' : '.source'
}

function withinCall(within: string): string {
  return within.replace(/^\.function/, '').replace(/^\.arguments/, '.input')
}

function withinThought(within: string): string {
  return within.replace(/^\.text/, '.thinking')
}
