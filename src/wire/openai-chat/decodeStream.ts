import type { AnswerEvent } from '../../core/answer/event.ts'
import { type Json, type JsonObject, isJsonObject, parseFrame } from '../../core/json.ts'
import { NO_USAGE } from '../../core/usage.ts'
import { AnswerEnd, type ChoiceEnd, type StreamDecoder, streamDecoder } from '../answerEnd.ts'
import { type AskedChoice, askedChoices } from '../askedChoices.ts'
import type { OwnFinishWords } from '../finishWords.ts'
import { invalidAnswer } from '../invalidAnswer.ts'
import { readObject } from '../read.ts'
import { failureInside, failureOfErrorEvent } from './decodeError.ts'
import { choiceFields, extraFields } from './extraFields.ts'
import { type Made, decodeFinishReason, finishWord, isCut, unsaidEnd } from './finishReason.ts'
import { canonicalDelta } from './canonicalDelta.ts'
import { readLogprobs } from './logprobs.ts'
import { readSources } from './sources.ts'
import { type ToolCallReader, toolCallReader } from './toolCalls.ts'
import { decodeUsage, isZeroReport } from './usage.ts'

interface OpenChoice extends ChoiceEnd<Made> {
  readonly toolCalls: ToolCallReader
  /** Fields without a model that came without a delta (Azure's annotations): they come with the next event. */
  held: JsonObject | undefined
  /** Top-level fields of the last chunk that said nothing. */
  extra: JsonObject | undefined
  /** Annotations of its own have come. */
  annotated: boolean
}

/**
 * Reads a stream of chat completion chunks, OpenAI's and its imitators'. `[DONE]` alone proves nothing, and is not needed.
 */
export function decodeStream(choices?: number, own?: OwnFinishWords, completionId = ''): StreamDecoder {
  let started = false
  /** Choices have come that were not asked for, and no others beside them. */
  let surplus = false
  /** A report of 0 has come, and nothing after it: it is meant where a choice was filtered, else it says nothing. */
  let zeroReported = false
  /** Of a search, beside the choices: the last list is the whole. */
  let sources: readonly JsonObject[] | undefined

  const end = new AnswerEnd<OpenChoice, Made>({
    asked: choices,
    begin: () => ({
      made: { text: false, toolCalls: false, functionCall: false },
      word: undefined,
      toolCalls: toolCallReader(completionId),
      held: undefined,
      extra: undefined,
      annotated: false,
    }),
    read: (word, made) => decodeFinishReason(word, made, own),
    unsaid: unsaidEnd,
    close({ toolCalls, annotated }, index, { reason }) {
      if (reason === 'content_filter' && zeroReported) return [{ type: 'usage', usage: NO_USAGE }]
      const last: AnswerEvent[] = []
      if (sources && !annotated) last.push({ type: 'delta', index, delta: { annotations: sources } })
      const calls = isCut(reason) ? [] : toolCalls.completeBareCalls()
      if (calls.length > 0)
        last.push({ type: 'delta', index, delta: { tool_calls: calls }, isReported: true })
      return last
    },
    beside: ({ held, extra }) => ({ ...(held && { choiceExtra: held }), ...(extra && { extra }) }),
  })

  function readChunk(chunk: JsonObject, events: AnswerEvent[]): void {
    // Moonshot's: only one choice can be asked of it.
    let choiceUsage: Json | undefined
    let reasons: readonly AskedChoice[] = []
    if (chunk.search_results !== undefined || chunk.citations !== undefined)
      sources = readSources(chunk) ?? sources
    if (Array.isArray(chunk.choices)) {
      const extra = extraFields(chunk)
      const asked = askedChoices(chunk.choices, choices)
      if (asked.length === 0 && chunk.choices.length > 0) surplus = true
      // Choices that were not asked for begin nothing: it can still be another provider's turn.
      if (!started && (asked.length > 0 || !surplus)) {
        started = true
        events.push(extra ? { type: 'start', extra } : { type: 'start' })
      }
      for (const { index, choice } of asked) {
        readChoice(index, choice, extra, events)
      }
      choiceUsage = asked[0]?.choice.usage
      reasons = asked
    }
    const groqUsage = readObject(chunk.x_groq)?.usage
    const usage = decodeUsage(chunk.usage) ?? decodeUsage(groqUsage) ?? decodeUsage(choiceUsage)
    if (usage) {
      end.reported()
      events.push({ type: 'usage', usage })
    }
    const zero = [chunk.usage, groqUsage, choiceUsage].some((each) => isZeroReport(each))
    zeroReported = !end.isReported && (zeroReported || zero)
    // Last: a word for a failure ends the stream.
    for (const { index, choice } of reasons) {
      const word = finishWord(choice)
      if (word === undefined || word === null || word === '') continue
      events.push(...end.reason(end.at(index), word))
      if (end.over) return
    }
  }

  function readChoice(
    index: number,
    value: JsonObject,
    extra: JsonObject | undefined,
    events: AnswerEvent[],
  ): void {
    const choice = end.at(index)
    const logprobs = readLogprobs(value.logprobs)
    const choiceExtra = joined(choice.held, choiceFields(value))
    let told = false
    // Some imitators have a message here, as in a whole answer.
    const said = value.delta ?? value.message
    if (isJsonObject(said)) {
      const delta = canonicalDelta(said, choice.made, choice.toolCalls)
      told = logprobs !== undefined || saysSomething(delta)
      if (delta.annotations !== undefined) choice.annotated = true
      if (told) {
        const common =
          choiceExtra || extra ? { ...(choiceExtra && { choiceExtra }), ...(extra && { extra }) } : undefined
        if (logprobs) events.push({ type: 'delta', index, delta, logprobs, ...common })
        else events.push({ type: 'delta', index, delta, ...common })
        end.said(choice)
        zeroReported = false
      }
    }
    choice.held = told ? undefined : choiceExtra
    if (!told && extra) choice.extra = extra
  }

  return streamDecoder(end, ({ event, data }, events) => {
    if (data === '[DONE]') return end.end('last frame')
    const chunk = parseFrame(data)
    if (event === 'error') return end.fail(failureOfErrorEvent(chunk, data))
    if (!isJsonObject(chunk)) {
      const text = data.trim()
      if (text === '') return []
      if (text === '[DONE]') return end.end('last frame')
      throw invalidAnswer(`a frame is not a JSON object: ${text}`.slice(0, 500))
    }
    const failure = chunk.error === undefined && chunk.object !== 'error' ? undefined : failureInside(chunk)
    if (failure) return end.fail(failure)
    readChunk(chunk, events)
    return events
  })
}

function joined(before: JsonObject | undefined, more: JsonObject | undefined): JsonObject | undefined {
  return before && more ? { ...before, ...more } : (more ?? before)
}

/** Whether a delta brings anything: not only the empty strings and nulls that mark a beginning or an end. */
function saysSomething(delta: JsonObject): boolean {
  for (const name in delta) {
    const value = delta[name]
    if (value === undefined || value === null || value === '') continue
    if (Array.isArray(value) && value.length === 0) continue
    return true
  }
  return false
}
