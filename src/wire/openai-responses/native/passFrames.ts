import type { Delta } from '../../../core/answer/event.ts'
import type { Frame } from '../../../core/answer/frame.ts'
import type { JsonObject } from '../../../core/json.ts'
import type { Usage } from '../../../core/usage.ts'
import { encodeSseData } from '../../sse.ts'
import type { Envelope } from '../../wire.ts'
import type { createMemory } from '../itemMemory.ts'
import type { StreamEvents } from '../streamEvents.ts'
import { writeEnd, writeState } from './answer.ts'
import { type PassedItems, passedItems } from './passedItems.ts'

/** Passes on the frames of a provider of this format, and knows where they are: what the gateway writes goes on from there. */
export interface FramePassing {
  readonly items: PassedItems
  /** @param delta what the frame says; absent: it begins the answer */
  pass(frame: Frame, delta?: Delta): string
  /** The last frames of the answer. @param usage that is charged */
  end(raw: readonly Frame[], usage: Usage | undefined): string[]
}

export function framePassing(
  events: StreamEvents,
  envelope: Envelope,
  memory: ReturnType<typeof createMemory>,
): FramePassing {
  const items = passedItems(events, memory)

  function write(data: string, event: string | undefined): string {
    return encodeSseData(events.pass(data), event)
  }

  function pass({ event, data }: Frame, delta?: Delta): string {
    if (event?.endsWith('.delta')) {
      if (delta) items.add(delta, () => parse(data))
      return write(data, event)
    }
    switch (event) {
      case 'response.output_item.added':
        items.begin(parse(data))
        break
      case 'response.output_item.done':
        items.end(parse(data))
        break
      case 'response.content_part.added':
      case 'response.reasoning_summary_part.added':
        items.beginPart(parse(data))
        break
      case 'response.content_part.done':
      case 'response.reasoning_summary_part.done':
        items.endPart()
        break
      default:
        return write(data.includes('"response"') ? writeState(data, envelope) : data, event)
    }
    return write(data, event)
  }

  return {
    items,
    pass,
    end: (raw, usage) =>
      raw.map((frame, i) =>
        i === raw.length - 1 ? write(writeEnd(frame.data, envelope, usage), frame.event) : pass(frame),
      ),
  }
}

/** Frames are objects: they were read before. */
function parse(data: string): JsonObject {
  return JSON.parse(data) as JsonObject
}
