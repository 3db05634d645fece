import type { AnswerEvent, Delta, ToolCallDelta } from '../../core/answer/event.ts'
import type { Frame } from '../../core/answer/frame.ts'
import type { ReasoningDetail } from '../../core/chat/request.ts'
import { unreachable } from '../../core/assert.ts'
import type { Refusal } from '../../core/error.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { refusalOfBrokenOff } from '../../core/refusalOf.ts'
import type { Usage } from '../../core/usage.ts'
import { readNumber, readObject, readText } from '../read.ts'
import { encodeSseData, encodeSseJson } from '../sse.ts'
import type { Envelope, StreamEncoder } from '../wire.ts'
import { encodeCitation } from './citations.ts'
import { messageHead } from './encodeResponse.ts'
import { encodeStreamError } from './encodeError.ts'
import { encodeStopDetails, encodeFinishReason } from './finishReason.ts'
import { writeStart } from './native/answer.ts'
import { markedSecret } from './reasoning.ts'
import { encodeMessageUsage, encodeUsage } from './usage.ts'

type Finish = Extract<AnswerEvent, { type: 'finish' }>

/**
 * Writes the first choice as a stream of this format. Blocks follow one another: a new one closes the
 * last. The stop reason waits for `end()`, because the usage that goes with it may come last.
 */
export function encodeStream(envelope: Envelope): StreamEncoder {
  let started = false
  let failed = false
  let blocks = 0
  let open:
    | { readonly index: number; readonly kind: 'text' | 'thinking' | 'tool'; readonly lastJson?: string }
    | undefined
  const toolBlocks = new Map<number, number>()
  let content = ''
  /** What the open thinking block holds. */
  let thoughts = ''
  let refusal: string | undefined
  let usage: Usage | undefined
  let finished: Finish | undefined
  /** The provider's own end was passed on. */
  let passedEnd = false

  function write(event: AnswerEvent): string[] {
    switch (event.type) {
      case 'start':
        return begin()
      case 'delta':
        if (event.index !== 0) return []
        return started ? writeDelta(event.delta) : [...begin(), ...writeDelta(event.delta)]
      case 'finish':
        if (event.index === 0) finished = event
        return event.index === 0 ? close() : []
      case 'usage':
        usage = event.usage
        return []
      case 'error':
        return [fail(refusalOfBrokenOff(event.failure))]
      default:
        return unreachable(event)
    }
  }

  /** Frames of a provider of this format, as they came: what is written after them goes on from there. */
  function pass({ type }: AnswerEvent, raw: readonly Frame[]): string[] {
    if (type === 'start') {
      if (started || raw.length === 0) return begin()
      started = true
    } else if (type === 'finish') passedEnd = true
    const passed = raw.map(passFrame)
    return started ? passed : [...begin(), ...passed]
  }

  function passFrame({ event, data }: Frame): string {
    switch (event) {
      case 'message_start':
        return encodeSseData(writeStart(data, envelope), event)
      case 'content_block_start': {
        const { index, content_block: block } = JSON.parse(data) as JsonObject
        const at = readNumber(index) ?? blocks
        blocks = at + 1
        open = { index: at, kind: kindOf(readObject(block)?.type) }
        break
      }
      case 'content_block_stop':
        open = undefined
        break
      default:
    }
    return encodeSseData(data, event)
  }

  function fail(refusal: Refusal): string {
    failed = true
    return encodeSseJson(encodeStreamError(refusal, envelope.id), 'error')
  }

  function begin(): string[] {
    if (started) return []
    started = true
    const message = { ...messageHead(envelope), usage: encodeMessageUsage(usage) }
    return [sse({ type: 'message_start', message })]
  }

  function writeDelta(delta: Delta): string[] {
    const text = onlyText(delta)
    if (text !== undefined) return speak(text)
    const details = (delta.reasoning_details ?? []).filter((detail) => detail.id === undefined)
    const detailed = details.map((detail) => detail.text ?? '').join('')
    const thought = delta.reasoning_content
    return [
      // What the details say in the same breath needs no saying twice.
      ...(thought && thought !== detailed ? think(thought) : []),
      ...details.flatMap(writeDetail),
      ...(delta.content ? speak(delta.content) : []),
      ...(delta.annotations ?? []).flatMap(cite),
      ...(delta.tool_calls ?? []).flatMap(callTool),
      ...refuse(delta.refusal),
    ]
  }

  function think(thinking: string): string[] {
    const written = ensure('thinking', { type: 'thinking', thinking: '', signature: '' })
    thoughts += thinking
    return [...written, blockDelta({ type: 'thinking_delta', thinking })]
  }

  /** A signature closes its block, whose text has mostly gone out before. */
  function writeDetail(detail: ReasoningDetail): string[] {
    if (detail.type === 'reasoning.encrypted')
      return [
        ...openBlock('thinking', { type: 'redacted_thinking', data: markedSecret(detail, detail.data) }),
        ...close(),
      ]
    if (detail.type !== 'reasoning.text') return []
    const isNew = open?.kind !== 'thinking' || thoughts !== detail.text
    const written = isNew ? think(detail.text ?? '') : []
    if (!detail.signature) return written
    return [
      ...written,
      blockDelta({ type: 'signature_delta', signature: markedSecret(detail, detail.signature) }),
      ...close(),
    ]
  }

  function speak(text: string): string[] {
    content += text
    const opened = ensureText()
    const written = blockDelta({ type: 'text_delta', text })
    return opened.length === 0 ? [written] : [...opened, written]
  }

  function cite(annotation: JsonObject): string[] {
    const citation = encodeCitation(annotation, content)
    return citation ? [...ensureText(), blockDelta({ type: 'citations_delta', citation })] : []
  }

  function callTool(call: ToolCallDelta): string[] {
    const known = toolBlocks.get(call.index)
    const custom = readObject(call.custom)
    const written =
      known === undefined
        ? openBlock('tool', {
            type: 'tool_use',
            id: call.id ?? '',
            name: call.function?.name ?? readText(custom?.name) ?? '',
            input: {},
            caller: { type: 'direct' },
          })
        : []
    if (open && known === undefined && custom) open = { ...open, lastJson: INPUT_END }
    const index = known ?? open?.index ?? 0
    toolBlocks.set(call.index, index)
    const begin = known === undefined ? INPUT_BEGIN : ''
    const fragment = custom ? begin + escaped(readText(custom.input) ?? '') : call.function?.arguments
    return fragment ? [...written, inputDelta(fragment, index)] : written
  }

  function refuse(text: string | null | undefined): string[] {
    if (text) refusal = (refusal ?? '') + text
    return []
  }

  function ensureText(): string[] {
    return ensure('text', { type: 'text', text: '' })
  }

  function ensure(kind: 'text' | 'thinking', block: JsonObject): string[] {
    return open?.kind === kind ? [] : openBlock(kind, block)
  }

  function openBlock(kind: 'text' | 'thinking' | 'tool', block: JsonObject): string[] {
    const closed = close()
    open = { index: blocks++, kind }
    thoughts = ''
    return [...closed, sse({ type: 'content_block_start', index: open.index, content_block: block })]
  }

  function close(): string[] {
    if (!open) return []
    const { index, lastJson } = open
    open = undefined
    const last = lastJson === undefined ? [] : [inputDelta(lastJson, index)]
    return [...last, sse({ type: 'content_block_stop', index })]
  }

  function inputDelta(json: string, index: number): string {
    return blockDelta({ type: 'input_json_delta', partial_json: json }, index)
  }

  function blockDelta(delta: JsonObject, index = open?.index ?? 0): string {
    return `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":${JSON.stringify(delta)}}\n\n`
  }

  function stop({ reason, finerReason }: Finish): string[] {
    const stopReason = encodeFinishReason(reason, Boolean(refusal), finerReason)
    const delta = {
      stop_reason: stopReason,
      stop_sequence: null,
      stop_details: encodeStopDetails(stopReason, refusal),
      container: null,
    }
    return [sse({ type: 'message_delta', delta, usage: encodeUsage(usage) }), sse({ type: 'message_stop' })]
  }

  return {
    push(event) {
      if (failed) return []
      const raw = 'raw' in event ? event.raw : undefined
      return raw ? pass(event, raw) : write(event)
    },
    end: () => (failed || passedEnd || finished === undefined ? [] : stop(finished)),
    fail,
  }
}

/** The arguments that stand for the input of a custom tool, which this format does not have: `{"input":"…"}`. */
const INPUT_BEGIN = '{"input":"'
const INPUT_END = '"}'

/** As it is inside a string of JSON. */
function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** The text of the usual delta, which has nothing else. */
function onlyText(delta: Delta): string | undefined {
  for (const name in delta) if (name !== 'content') return undefined
  return delta.content ? delta.content : undefined
}

function kindOf(type: Json | undefined): 'text' | 'thinking' | 'tool' {
  return type === 'text' || type === 'thinking' ? type : 'tool'
}

function sse(event: JsonObject & { readonly type: string }): string {
  return encodeSseJson(event, event.type)
}
