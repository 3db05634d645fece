import type { ChatEvent, Delta, ToolCallDelta } from '../../core/chat/event.ts'
import type { UpstreamFailure } from '../../core/failure.ts'
import { isJsonObject, type JsonObject, parseJson } from '../../core/json.ts'
import type { Step } from '../../core/step.ts'
import { askedChoices } from '../askedChoices.ts'
import { fewerChoices } from '../fewerChoices.ts'
import { type Made, type OwnFinishWords, finishEvent, readFinish, unsaidReason } from '../finishWords.ts'
import type { Frame } from '../frame.ts'
import { type OpenCalls, openCalls } from '../openCalls.ts'
import { readNumber, readObject, readObjects, readText } from '../read.ts'
import { readContent } from './content.ts'
import { readFunction, readToolCallId } from './toolCalls.ts'
import { decodeUsage } from './usage.ts'

interface ChoiceState {
  finished: boolean
  made: Made
  /** Thoughts since the last signature; the next one closes them. */
  unsigned: string
  readonly calls: OpenCalls
}

/**
 * Reads `CompletionChunk`s; usage comes in the chunk that finishes, the end is `[DONE]`. After a usage
 * report, `[DONE]` finishes the choices that are still open.
 */
export function decodeStream(choices?: number, own?: OwnFinishWords): Step<Frame, ChatEvent> {
  const states = new Map<number, ChoiceState>()
  let started = false
  let over = false
  /** Choices have come that nobody asked for, and no others beside them. */
  let surplus = false
  /** A usage report has come, and no word after it. */
  let reported = false

  return {
    push(frame) {
      if (over) return []
      if (frame.data.trim() === '[DONE]') return [...stopOpenChoices(), ...tellFewer()]
      const chunk = parseJson(frame.data)
      if (!isJsonObject(chunk)) return fail(`no JSON object: ${frame.data.slice(0, 500)}`)
      if (!Array.isArray(chunk['choices'])) return fail(`no choices: ${frame.data.slice(0, 500)}`)
      const told = askedChoices(chunk['choices'], choices)
      const events: ChatEvent[] = []
      for (const { index, choice } of told) {
        events.push(...readChoice(index, choice))
        if (over) break
      }
      // Last: it counts the text beside it too, and a report that text follows is out of date.
      const usage = over ? undefined : decodeUsage(chunk['usage'])
      if (usage !== undefined) reported = true
      else if (events.some((event) => event.type === 'delta')) reported = false
      if (usage !== undefined) events.push({ type: 'usage', usage })
      // A failure begins nothing, nor do choices that nobody asked for: it can still be another provider's turn.
      const begins = events.some((event) => event.type === 'delta' || event.type === 'finish')
      if (told.length === 0 && chunk['choices'].length > 0) surplus = true
      if (started || ((over || surplus) && !begins)) return events
      started = true
      return [{ type: 'start' }, ...events]
    },
    end() {
      if (over) return []
      const open = [...states.values()].filter((state) => !state.finished).length
      return open > 0 || states.size < (choices ?? 1)
        ? fail('the stream ended before its choices were finished')
        : []
    },
  }

  function stopOpenChoices(): ChatEvent[] {
    if (!reported) return []
    const open = [...states].filter(([, state]) => !state.finished)
    return open.map(([index, state]) => {
      state.finished = true
      return finishEvent(index, { reason: unsaidReason(state.made) })
    })
  }

  function tellFewer(): ChatEvent[] {
    const asked = choices ?? 1
    const all = [...states.values()]
    if (all.length === 0 || all.length >= asked || all.some((state) => !state.finished)) return []
    over = true
    return [{ type: 'error', failure: fewerChoices(all.length, asked) }]
  }

  function readChoice(index: number, choice: JsonObject): ChatEvent[] {
    const state = states.get(index) ?? {
      finished: false,
      made: { content: false, calls: false },
      unsigned: '',
      calls: openCalls(),
    }
    states.set(index, state)
    if (state.finished) return []
    const events: ChatEvent[] = []
    const delta = readDelta(readObject(choice['delta']) ?? {}, state)
    if (delta !== undefined) {
      state.made = { content: true, calls: state.made.calls || delta.tool_calls !== undefined }
      events.push({ type: 'delta', index, delta })
    }
    const reason = choice['finish_reason']
    if (reason === undefined || reason === null || reason === '') return events
    const finish = readFinish(reason, state.made, own)
    if (!finish.ok) {
      over = true
      return [...events, { type: 'error', failure: finish.failure }]
    }
    state.finished = true
    return [...events, finishEvent(index, finish)]
  }

  function fail(detail: string): ChatEvent[] {
    over = true
    const failure: UpstreamFailure = { kind: 'invalid_answer', detail }
    return [{ type: 'error', failure }]
  }
}

/** Undefined when the chunk adds nothing. */
function readDelta(delta: JsonObject, state: ChoiceState): Delta | undefined {
  const { content } = delta
  const calls = readCalls(readObjects(delta['tool_calls']), state)
  // The usual chunk.
  if (typeof content === 'string' && calls.length === 0) return content === '' ? undefined : { content }
  const { text, reasoning, details, unsigned } = readContent(content, state.unsigned)
  state.unsigned = unsigned
  if (text === '' && reasoning === '' && details.length === 0 && calls.length === 0) return undefined
  const read: { -readonly [Field in keyof Delta]: Delta[Field] } = {}
  if (text !== '') read.content = text
  if (reasoning !== '') read.reasoning_content = reasoning
  if (details.length > 0) read.reasoning_details = details
  if (calls.length > 0) read.tool_calls = calls
  return read
}

function readCalls(calls: readonly JsonObject[], state: ChoiceState): ToolCallDelta[] {
  if (calls.length === 0) return []
  state.calls.beginList()
  return calls.map((call) => readCall(call, state))
}

/** Calls mostly come whole. */
function readCall(call: JsonObject, { calls }: ChoiceState): ToolCallDelta {
  const { name, text } = readFunction(call)
  const piece = { source: readNumber(call['index']), id: readToolCallId(call), name: readText(name) }
  const known = calls.find(piece)
  if (known !== undefined) {
    const more = calls.nameMore(known, piece.name)
    if (text !== '') calls.hasArguments(known)
    return { index: known, function: { ...(more !== undefined && { name: more }), arguments: text } }
  }
  const { ordinal, id } = calls.open(piece, (ordinal) => `call_${ordinal}`)
  if (text !== '') calls.hasArguments(ordinal)
  return { index: ordinal, id, type: 'function', function: { name, arguments: text } }
}
