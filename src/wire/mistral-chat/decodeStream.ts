import type { AnswerEvent, Delta, ToolCallDelta } from '../../core/answer/event.ts'
import { isJsonObject, type JsonObject, parseFrame } from '../../core/json.ts'
import { AnswerEnd, type ChoiceEnd, type StreamDecoder, streamDecoder } from '../answerEnd.ts'
import { askedChoices } from '../askedChoices.ts'
import { type OwnFinishWords, readFinish, unsaidReason } from '../finishWords.ts'
import { invalidAnswer } from '../invalidAnswer.ts'
import { type OpenCalls, openCalls } from '../openCalls.ts'
import { readNumber, readObject, readObjects, readText } from '../read.ts'
import { readContent } from './content.ts'
import { readFunction, readToolCallId } from './toolCalls.ts'
import { failureInside } from './decodeError.ts'
import { decodeUsage } from './usage.ts'

interface ChoiceState extends ChoiceEnd {
  readonly made: { content: boolean; calls: boolean }
  /** Thoughts since the last signature; the next one closes them. */
  unsigned: string
  readonly calls: OpenCalls
}

/** Reads `CompletionChunk`s; usage comes in the chunk that finishes, the last frame is `[DONE]`. */
export function decodeStream(choices?: number, own?: OwnFinishWords, completionId = ''): StreamDecoder {
  let started = false
  /** Choices have come that were not asked for, and no others beside them. */
  let surplus = false

  const end = new AnswerEnd<ChoiceState>({
    asked: choices,
    begin: () => ({
      made: { content: false, calls: false },
      word: undefined,
      unsigned: '',
      calls: openCalls(completionId),
    }),
    read: (word, made) => readFinish(word, made, own),
    unsaid: unsaidReason,
  })

  return streamDecoder(end, (frame) => {
    if (frame.data.trim() === '[DONE]') return end.end('last frame')
    const chunk = parseFrame(frame.data)
    if (!isJsonObject(chunk)) throw invalidAnswer(`no JSON object: ${frame.data.slice(0, 500)}`)
    const failure = failureInside(chunk)
    if (failure) return end.fail(failure)
    if (!Array.isArray(chunk.choices)) throw invalidAnswer(`no choices: ${frame.data.slice(0, 500)}`)
    const told = askedChoices(chunk.choices, choices)
    const events: AnswerEvent[] = []
    for (const { index, choice } of told) {
      events.push(...readChoice(index, choice))
    }
    // Behind the text: it counts that too, and a report that text follows is out of date.
    const usage = decodeUsage(chunk.usage)
    if (usage !== undefined) {
      end.reported()
      events.push({ type: 'usage', usage })
    }
    // Last: a word for a failure ends the stream.
    for (const { index, choice } of told) {
      if (!end.over) events.push(...readReason(index, choice))
    }
    // A failure begins nothing, nor do choices that were not asked for: it can still be another provider's turn.
    const begins = events.some((event) => event.type === 'delta')
    if (told.length === 0 && chunk.choices.length > 0) surplus = true
    if (started || ((end.over || surplus) && !begins)) return events
    started = true
    return [{ type: 'start' }, ...events]
  })

  function readChoice(index: number, choice: JsonObject): readonly AnswerEvent[] {
    const state = end.at(index)
    const events: AnswerEvent[] = []
    const delta = readDelta(readObject(choice.delta) ?? {}, state)
    if (delta !== undefined) {
      state.made.content = true
      state.made.calls ||= delta.tool_calls !== undefined
      events.push({ type: 'delta', index, delta })
      end.said(state)
    }
    return events
  }

  function readReason(index: number, { finish_reason: word }: JsonObject): readonly AnswerEvent[] {
    return word === undefined || word === null || word === '' ? [] : end.reason(end.at(index), word)
  }
}

/** Undefined when the chunk adds nothing. */
function readDelta(delta: JsonObject, state: ChoiceState): Delta | undefined {
  const { content } = delta
  const calls = readCalls(readObjects(delta.tool_calls), state)
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
  const piece = { source: readNumber(call.index), id: readToolCallId(call), name: readText(name) }
  const known = calls.find(piece)
  if (known !== undefined) {
    const more = calls.nameMore(known, piece.name)
    if (text !== '') calls.hasArguments(known)
    return { index: known, function: { ...(more !== undefined && { name: more }), arguments: text } }
  }
  const { ordinal, id } = calls.open(piece)
  if (text !== '') calls.hasArguments(ordinal)
  return { index: ordinal, id, type: 'function', function: { name, arguments: text } }
}
