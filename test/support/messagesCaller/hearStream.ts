import type { AnswerEvent } from '../../../src/core/answer/event.ts'
import type { Frame } from '../../../src/core/answer/frame.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import { textOf } from '../callers/compact.ts'
import type { Heard } from '../callers/heard.ts'
import { deltasOf, endOf } from './hearMessage.ts'

/** Of which type a block's deltas are. */
const DELTAS: Readonly<Record<string, readonly string[]>> = {
  text: ['text_delta', 'citations_delta'],
  thinking: ['thinking_delta', 'signature_delta'],
  tool_use: ['input_json_delta'],
}

/**
 * Reads a stream as strictly as Anthropic describes it, not with the code of `src`: a message begins once, its blocks follow one
 * another from 0 on, each is closed before the next, and nothing follows the end. Throws for anything else.
 * https://platform.claude.com/docs/en/build-with-claude/streaming
 */
export function hearStream(frames: readonly Frame[]): Heard {
  const events: AnswerEvent[] = []
  let begun = false
  let ending = false
  let end: Heard['end'] = 'cut'
  let blocks = 0
  let calls = 0
  /** `json`: the pieces of a tool's input. */
  let open: { readonly index: number; readonly block: Record<string, unknown>; json: string } | undefined

  function demand(truth: boolean, rule: string, { data }: Frame): void {
    if (!truth) throw new Error(`not a stream of Messages: ${rule}: ${data}`)
  }

  function close(): void {
    if (!open) return
    const { block, json } = open
    const isCall = block['type'] === 'tool_use'
    for (const delta of deltasOf(block as JsonObject, calls, isCall && json !== '' ? json : undefined))
      events.push({ type: 'delta', index: 0, delta })
    if (isCall) calls++
    open = undefined
  }

  function extend(block: Record<string, unknown>, { type: _type, ...said }: JsonObject): void {
    for (const [name, more] of Object.entries(said)) {
      if (name === 'citation') block['citations'] = [...((block['citations'] ?? []) as unknown[]), more]
      else block[name] = `${(block[name] as string | undefined) ?? ''}${textOf(more)}`
    }
  }

  for (const frame of frames) {
    const json = JSON.parse(frame.data) as JsonObject
    const { type, index } = json
    demand(frame.event === type, 'an event is named by its type', frame)
    demand(end === 'cut', 'nothing follows the end', frame)
    demand(
      begun !== (type === 'message_start') || type === 'ping' || type === 'error',
      'a message begins once',
      frame,
    )
    switch (type) {
      case 'message_start':
        begun = true
        events.push({ type: 'start' })
        break
      case 'ping':
        break
      case 'content_block_start':
        demand(!open && !ending && index === blocks, 'blocks follow one another', frame)
        open = { index: blocks++, block: { ...(json['content_block'] as JsonObject) }, json: '' }
        break
      case 'content_block_delta': {
        const delta = json['delta'] as JsonObject
        const allowed = DELTAS[String(open?.block['type'])] ?? []
        demand(
          index === open?.index && allowed.includes(textOf(delta['type'])),
          'a delta is of its block',
          frame,
        )
        if (open && delta['type'] === 'input_json_delta') open.json += textOf(delta['partial_json'])
        else if (open) extend(open.block, delta)
        break
      }
      case 'content_block_stop':
        demand(index === open?.index, 'the open block is closed', frame)
        close()
        break
      case 'message_delta':
        demand(!open && !ending, 'every block is closed before the end', frame)
        ending = true
        events.push(...endOf(json['delta'] as JsonObject, json['usage'] as JsonObject))
        break
      case 'message_stop':
        demand(ending, 'the end has a reason', frame)
        end = 'whole'
        break
      case 'error':
        end = 'broken'
        break
      default:
        throw new Error(`not an event of Messages: ${frame.data}`)
    }
  }
  close()
  return { events, end }
}
