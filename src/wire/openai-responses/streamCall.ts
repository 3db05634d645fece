import type { ToolCallDelta } from '../../core/answer/event.ts'
import { parseJson } from '../../core/json.ts'
import { readObject, readText } from '../read.ts'
import type { Envelope } from '../wire.ts'
import type { ItemMemory } from './itemMemory.ts'
import { type Called, type ItemStatus, callItem, itemId } from './items.ts'
import type { StreamEvents, StreamedItem } from './streamEvents.ts'

/** Writes a call of a function or of another tool as it is made. */
export interface CallWriter extends StreamedItem {
  open(): string[]
  add(piece: ToolCallDelta): string[]
  /** Whether nothing can be missing of it: its arguments are JSON. */
  isWhole(): boolean
  readonly isClosed: boolean
}

/** @param first the piece that opens it, which is still to be added */
export function callWriter(
  events: StreamEvents,
  envelope: Envelope,
  place: number,
  first: ToolCallDelta,
  memory: ItemMemory,
): CallWriter {
  const kind = first.custom === undefined || first.function !== undefined ? 'function' : 'custom'
  const id = itemId(envelope, kind, place)
  const event = kind === 'function' ? 'response.function_call_arguments' : 'response.custom_tool_call_input'
  const at = `"item_id":${JSON.stringify(id)},"output_index":${place},`
  const input = memory.text()
  let name = ''
  let isClosed = false
  let done = itemOf('in_progress', { name: pieceOf(first, kind).name, input: '' })

  function itemOf(status: ItemStatus, said: Pick<Called, 'name' | 'input'>) {
    return callItem(id, status, { kind, callId: first.id ?? '', ...said })
  }

  return {
    open: () => [events.write('response.output_item.added', { output_index: place, item: done })],
    add(piece) {
      const { name: more, input: text } = pieceOf(piece, kind)
      name += more
      if (text === '') return []
      input.add(text)
      return [events.writeText(`${event}.delta`, `${at}"delta":${JSON.stringify(text)}`)]
    },
    isWhole: () => kind === 'function' && parseJson(input.read()) !== undefined,
    close(isCut) {
      isClosed = true
      const whole = input.read()
      done = itemOf(isCut ? 'incomplete' : 'completed', { name, input: whole })
      const said = JSON.stringify(kind === 'function' ? { name, arguments: whole } : { input: whole }).slice(
        1,
        -1,
      )
      return [
        events.writeText(`${event}.done`, at + said),
        events.write('response.output_item.done', { output_index: place, item: done }),
      ]
    },
    get isClosed() {
      return isClosed
    },
    get item() {
      return done
    },
  }
}

function pieceOf(piece: ToolCallDelta, kind: Called['kind']): Pick<Called, 'name' | 'input'> {
  if (kind === 'function') return { name: piece.function?.name ?? '', input: piece.function?.arguments ?? '' }
  const custom = readObject(piece.custom)
  return { name: readText(custom?.name) ?? '', input: readText(custom?.input) ?? '' }
}
