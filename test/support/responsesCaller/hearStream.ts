import type { AnswerEvent } from '../../../src/core/answer/event.ts'
import type { Frame } from '../../../src/core/answer/frame.ts'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import { textOf } from '../callers/compact.ts'
import type { Heard } from '../callers/heard.ts'
import { itemReader, listOf } from './hearItem.ts'
import { endOf } from './hearResponse.ts'
import { addPiece, isWhatCame, isPiece } from './pieces.ts'

/** An item as its events have built it. */
interface Growing {
  readonly item: Record<string, unknown>
  isDone: boolean
}

/**
 * Reads a stream as strictly as OpenAI describes it, not with the code of `src`: events are numbered and named by their type, a
 * response begins once, items have their places, what is done is what came in pieces, and the last event has all items. Throws for
 * anything else. https://platform.openai.com/docs/api-reference/responses-streaming
 */
export function hearStream(frames: readonly Frame[]): Heard {
  const items: Growing[] = []
  let response: JsonObject | undefined
  let end: Heard['end'] = 'cut'
  let error: JsonObject | undefined
  const ending: AnswerEvent[] = []

  for (const [number, frame] of frames.entries()) {
    const event = JSON.parse(frame.data) as JsonObject
    const type = textOf(event['type'])
    demand(frame.event === type && event['sequence_number'] === number, 'events have their type and number')
    demand(end === 'cut', 'nothing follows the end')
    demand((number === 0) === (type === 'response.created'), 'a response begins once')
    demand(error === undefined || type === 'response.failed', 'nothing but the end follows an error')
    switch (type) {
      case 'error':
        error = event['error'] as JsonObject
        break
      case 'response.created':
      case 'response.in_progress':
        response = event['response'] as JsonObject
        demand(response['status'] === 'in_progress' && listOf(response['output']).length === 0, 'it is open')
        break
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed': {
        const last = event['response'] as JsonObject
        demand(`response.${textOf(last['status'])}` === type, 'an end is named by its status')
        demand(last['id'] === response?.['id'], 'the response stays the same')
        end = type === 'response.failed' ? 'broken' : 'whole'
        if (end === 'broken') {
          const { code, message } = last['error'] as JsonObject
          demand(
            error?.['code'] === code && error?.['message'] === message,
            'a failure comes as an error first',
          )
          break
        }
        demand(
          items.every(({ isDone }) => isDone) &&
            same(
              last['output'],
              items.map(({ item }) => item),
            ),
          'the last event has all items',
        )
        ending.push(...endOf(last, items.filter(({ item }) => isCall(item)).length))
        break
      }
      case 'response.output_item.added':
        demand(event['output_index'] === items.length, 'items have their places')
        items.push({ item: { ...(event['item'] as JsonObject) }, isDone: false })
        break
      case 'response.output_item.done':
        finish(openAt(event), event['item'] as JsonObject)
        break
      default: {
        const { item } = openAt(event)
        demand(event['item_id'] === item['id'], 'a piece is of its item')
        if (isPiece(type)) addPiece(item, type, event)
        else demand(isWhatCame(item, type, event), 'what is done is what came')
      }
    }

    function demand(truth: boolean, rule: string): void {
      if (!truth) throw new Error(`not a stream of Responses: ${rule}: ${frame.data}`)
    }

    function openAt({ output_index: place }: JsonObject): Growing {
      const growing = items[Number(place)]
      if (growing === undefined || growing.isDone) throw new Error(`no open item: ${frame.data}`)
      return growing
    }

    function finish(growing: Growing, done: JsonObject): void {
      const { status: _status, encrypted_content: _secret, ...said } = done
      const { status: _before, ...grown } = growing.item
      demand(same(said, grown), 'an item is what came of it')
      Object.assign(growing.item, done)
      growing.isDone = true
    }
  }

  const reader = itemReader()
  const said = items.flatMap(({ item }) => reader.hear(item as JsonObject))
  const begun: AnswerEvent[] = said.length > 0 || ending.length > 0 ? [{ type: 'start' }] : []
  return { events: [...begun, ...said, ...ending], end }
}

function isCall({ type }: Readonly<Record<string, unknown>>): boolean {
  return type === 'function_call' || type === 'custom_tool_call'
}

function same(one: Json | undefined, other: unknown): boolean {
  return Bun.deepEquals(one, other)
}
