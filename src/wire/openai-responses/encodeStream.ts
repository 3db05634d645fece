import type { AnswerEvent, Delta, ToolCallDelta } from '../../core/answer/event.ts'
import type { FinishReason } from '../../core/answer/wholeAnswer.ts'
import { unreachable } from '../../core/assert.ts'
import type { Frame } from '../../core/answer/frame.ts'
import type { ReasoningDetail } from '../../core/chat/request.ts'
import type { Refusal } from '../../core/error.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { refusalOfBrokenOff } from '../../core/refusalOf.ts'
import type { Usage } from '../../core/usage.ts'
import type { Envelope, StreamEncoder } from '../wire.ts'
import { encodeErrorEvent, encodeFailure } from './encodeError.ts'
import { logprobsIn } from './encodeItems.ts'
import { createMemory } from './itemMemory.ts'
import { framePassing } from './native/passFrames.ts'
import { type ResponseState, changingFields, constantFields, endOf } from './responseObject.ts'
import { wantsSecrets } from './secrets.ts'
import { type CallWriter, callWriter } from './streamCall.ts'
import { type StreamedItem, createEvents } from './streamEvents.ts'
import { type MessageWriter, messageWriter } from './streamMessage.ts'
import { reasoningWriter } from './streamReasoning.ts'
import { type OpenedThought, thoughtStream } from './streamThoughts.ts'
import { readableIn } from './thoughtBlocks.ts'

const ENDED_EARLY = { kind: 'invalid_answer', detail: 'the stream was ended before its answer' } as const
const CALL_GOES_ON = { kind: 'invalid_answer', detail: 'a tool call goes on after its end' } as const
const BLANK_LINE = '\n\n'

type PassedEvent = Extract<AnswerEvent, { type: 'start' | 'delta' | 'finish' }>

/**
 * Writes the first choice as a stream of this format. Reasoning and text end where something else begins; calls stay open to the
 * end, because pieces of several may come in turn. The end waits for `end()`, because the usage that goes with it may come last.
 *
 * @param repeatedLengthMax as `REPEATED_LENGTH_MAX`
 */
export function encodeStream(envelope: Envelope, repeatedLengthMax?: number): StreamEncoder {
  const events = createEvents()
  const memory = createMemory(repeatedLengthMax)
  const passing = framePassing(events, envelope, memory)
  const constant = JSON.stringify(constantFields(envelope)).slice(1, -1)
  let isStarted = false
  let isOver = false
  const items: StreamedItem[] = []
  let message: MessageWriter | undefined
  const thoughts = thoughtStream(beginThought, memory.item(), wantsSecrets(envelope))
  const calls = new Map<number, CallWriter>()
  /** In UTF-16 units, of all messages. */
  let spoken = 0
  let usage: Usage | undefined
  let serviceTier: Json | undefined
  let finish: FinishReason | undefined
  /** The provider's own end, which waits as the gateway's own does. */
  let lastFrames: readonly Frame[] = []

  function write(event: AnswerEvent): string[] {
    switch (event.type) {
      case 'start':
        takeExtra(event.extra)
        return begin()
      case 'delta':
        takeExtra(event.extra)
        if (event.index !== 0) return []
        return [...begin(), ...writeDelta(event.delta, logprobsIn(event.logprobs))]
      case 'finish':
        takeExtra(event.extra)
        if (event.index === 0) finish = event.reason
        return []
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
  function pass(event: PassedEvent, raw: readonly Frame[]): string[] {
    takeExtra(event.extra)
    switch (event.type) {
      case 'start':
        if (isStarted) return []
        isStarted = raw.length > 0
        return raw.map((frame) => passing.pass(frame))
      case 'delta':
        return raw.length === 0 ? [] : [...begin(), ...raw.map((frame) => passing.pass(frame, event.delta))]
      case 'finish':
        finish = event.reason
        lastFrames = raw
        return []
      default:
        return unreachable(event)
    }
  }

  function takeExtra(extra: JsonObject | undefined): void {
    serviceTier = extra?.service_tier ?? serviceTier
  }

  function writeState(type: string, state: ResponseState): string {
    const changing = JSON.stringify(changingFields(state, envelope)).slice(1, -1)
    return events.writeText(type, `"response":{${constant},${changing}}`)
  }

  function begin(): string[] {
    if (isStarted) return []
    isStarted = true
    const state: ResponseState = { status: 'in_progress', output: [], serviceTier }
    return [writeState('response.created', state), writeState('response.in_progress', state)]
  }

  function fail(refusal: Refusal): string {
    const begun = begin()
    isOver = true
    const state: ResponseState = { status: 'failed', error: encodeFailure(refusal), output: [], serviceTier }
    const error = events.write('error', encodeErrorEvent(refusal))
    return [...begun, error, writeState('response.failed', state)].join('')
  }

  function writeDelta(delta: Delta, logprobs: readonly Json[]): string[] {
    const { content, refusal, annotations, tool_calls: pieces, reasoning_content: thought } = delta
    const details = delta.reasoning_details ?? []
    return [
      ...(thought && !isSaidIn(details, thought) ? thoughts.think(thought) : []),
      ...details.flatMap((detail) => thoughts.add(detail, !thought)),
      ...(content || logprobs.length > 0 ? speak(content ?? '', logprobs) : []),
      ...(annotations ?? []).flatMap((annotation) => message?.cite(annotation) ?? []),
      ...(refusal ? [...openMessage(), ...(message?.refuse(refusal) ?? [])] : []),
      ...(pieces ?? []).flatMap(callTool),
    ]
  }

  function beginThought(): OpenedThought {
    const closed = closeOthers()
    const writer = reasoningWriter(events, envelope, nextPlace(), memory.item())
    items.push(writer)
    return { writer, written: [...closed, ...writer.open()] }
  }

  function nextPlace(): number {
    return passing.items.places + items.length
  }

  function speak(text: string, logprobs: readonly Json[]): string[] {
    if (text === '' && !message) return []
    const gone = message ? undefined : passing.items.speak(text)
    if (gone) return gone
    const opened = openMessage()
    spoken += text.length
    return [...opened, ...(message?.speak(text, logprobs) ?? [])]
  }

  function openMessage(): string[] {
    if (message) return []
    const closed = closeOthers()
    message = messageWriter(events, envelope, nextPlace(), spoken, memory.item())
    items.push(message)
    return [...closed, ...message.open()]
  }

  function closeMessage(): string[] {
    const closed = message?.close(false) ?? []
    message = undefined
    return closed
  }

  /** Before reasoning or a message: calls that are whole end too, so that items end in their order. */
  function closeOthers(): string[] {
    const whole = [...calls.values()].filter((call) => !call.isClosed && call.isWhole())
    return [...thoughts.close(), ...closeMessage(), ...whole.flatMap((call) => call.close(false))]
  }

  function callTool(piece: ToolCallDelta): string[] {
    const known = calls.get(piece.index)
    if (known?.isClosed) return [fail(refusalOfBrokenOff(CALL_GOES_ON))]
    if (known) return known.add(piece)
    const closed = [...thoughts.close(), ...closeMessage()]
    const call = callWriter(events, envelope, nextPlace(), piece, memory.item())
    calls.set(piece.index, call)
    items.push(call)
    return [...closed, ...call.open(), ...call.add(piece)]
  }

  function closeAll(isCut: boolean): string[] {
    const last = items.at(-1)
    const open = [...calls.values()].filter((call) => !call.isClosed)
    return [
      ...thoughts.close(),
      ...(message?.close(isCut && message === last) ?? []),
      ...open.flatMap((call) => call.close(isCut && call === last)),
    ]
  }

  return {
    push(event) {
      if (isOver) return []
      const raw = 'raw' in event ? event.raw : undefined
      return 'raw' in event && raw ? pass(event, raw) : write(event)
    },
    end() {
      if (isOver) return []
      // A cut answer must not look like a whole one.
      if (finish === undefined) return [fail(refusalOfBrokenOff(ENDED_EARLY))]
      const begun = begin()
      if (lastFrames.length > 0) {
        isOver = true
        return [...begun, ...passing.end(lastFrames, usage)]
      }
      const end = endOf(finish)
      const passed = passing.items.close(end.status === 'incomplete')
      const closed = closeAll(end.status === 'incomplete')
      isOver = true
      // What ended in frames of the provider is not repeated: it is kept nowhere.
      const output = [...passed.items, ...items.map(({ item }) => item)]
      const last = writeState(`response.${end.status}`, { ...end, output, usage, serviceTier })
      return [...begun, ...passed.written, ...closed, last]
    },
    fail,
  }
}

/** Whether details say the same as the reasoning beside them. */
function isSaidIn(details: readonly ReasoningDetail[], thought: string): boolean {
  const texts = details.map(readableIn).filter((text) => text !== '')
  if (texts.length === 0) return false
  const summaries = details.filter(({ type }) => type === 'reasoning.summary').map(readableIn)
  return (
    thought === texts.join('') || thought === texts.join(BLANK_LINE) || thought === summaries.join(BLANK_LINE)
  )
}
