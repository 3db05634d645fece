import type { ChatEvent } from '../../core/chat/event.ts'
import type { UpstreamFailure } from '../../core/failure.ts'
import { type Json, type JsonObject, isJsonObject, parseJson } from '../../core/json.ts'
import type { Step } from '../../core/step.ts'
import { askedChoices } from '../askedChoices.ts'
import { fewerChoices } from '../fewerChoices.ts'
import { type Finished, type OwnFinishWords, finishEvent } from '../finishWords.ts'
import type { Frame } from '../frame.ts'
import { failureInside, failureOfErrorEvent } from './decodeError.ts'
import { idPrefixOf } from './decodeResponse.ts'
import { choiceFields, extraFields } from './extraFields.ts'
import { type Made, decodeFinishReason, isCut, unsaidEnd } from './finishReason.ts'
import { InvalidAnswer, invalidAnswer } from './invalidAnswer.ts'
import { canonicalDelta } from './canonicalDelta.ts'
import { type ToolCallReader, toolCallReader } from './toolCalls.ts'
import { decodeUsage } from './usage.ts'

interface OpenChoice {
  readonly made: Made
  readonly toolCalls: ToolCallReader
  /** Fields nobody models that came without a delta (Azure's annotations): told with the next event. */
  held: JsonObject | undefined
  finished: boolean
}

/**
 * Reads a stream of chat completion chunks, OpenAI's and its imitators'. The answer is complete when every choice that
 * was asked for has finished; `[DONE]` alone proves nothing, and is not needed. After a usage report it proves that
 * nothing is missing: choices that are still open then end with `stop`, or with `tool_calls` if they hold calls.
 */
export function decodeStream(choices?: number, own?: OwnFinishWords): Step<Frame, ChatEvent> {
  /** By index. */
  const begun: OpenChoice[] = []
  let unfinished = 0
  let finished = 0
  let started = false
  let over = false
  /** Choices have come that nobody asked for, and no others beside them. */
  let surplus = false
  /** A usage report has come, and no word after it. */
  let reported = false

  function fail(failure: UpstreamFailure): ChatEvent {
    over = true
    return { type: 'error', failure }
  }

  function finishStream(how: 'ended' | 'was cut'): ChatEvent[] {
    if (over) return []
    const asked = choices ?? 1
    if (how === 'ended' && unfinished === 0 && finished > 0 && finished < asked)
      return [fail(fewerChoices(finished, asked))]
    if (unfinished > 0 || finished < asked) {
      return [fail(invalidAnswer(`the stream ${how} before its choices had finished`))]
    }
    over = true
    return []
  }

  /** `[DONE]`. */
  function endStream(): ChatEvent[] {
    return over || !reported ? finishStream('ended') : [...stopOpenChoices(), ...finishStream('ended')]
  }

  function stopOpenChoices(): ChatEvent[] {
    return begun.flatMap((choice, index) =>
      choice.finished
        ? []
        : finish(
            choice,
            index,
            { reason: unsaidEnd(choice.made) },
            choice.held && { choiceExtra: choice.held },
          ),
    )
  }

  function finish(
    choice: OpenChoice,
    index: number,
    how: Omit<Finished, 'ok'>,
    more: { choiceExtra?: JsonObject; extra?: JsonObject } | undefined,
  ): ChatEvent[] {
    choice.finished = true
    unfinished -= 1
    finished += 1
    const ended: ChatEvent = { ...finishEvent(index, how), ...more }
    const calls = isCut(how.reason) ? [] : choice.toolCalls.completeBareCalls()
    if (calls.length === 0) return [ended]
    return [{ type: 'delta', index, delta: { tool_calls: calls } }, ended]
  }

  function readChunk(chunk: JsonObject, events: ChatEvent[]): void {
    // Moonshot's: only one choice can be asked of it.
    let choiceUsage: Json | undefined
    if (Array.isArray(chunk.choices)) {
      const extra = extraFields(chunk)
      const asked = askedChoices(chunk.choices, choices)
      if (asked.length === 0 && chunk.choices.length > 0) surplus = true
      // Choices that nobody asked for begin nothing: it can still be another provider's turn.
      if (!started && (asked.length > 0 || !surplus)) {
        started = true
        events.push(extra ? { type: 'start', extra } : { type: 'start' })
      }
      for (const { index, choice } of asked) {
        readChoice(index, choice, chunk, extra, events)
        if (over) return
      }
      choiceUsage = asked[0]?.choice.usage
    }
    const usage =
      decodeUsage(chunk.usage) ??
      (chunk.x_groq === undefined ? undefined : groqUsage(chunk.x_groq)) ??
      decodeUsage(choiceUsage)
    if (!usage) return
    reported = true
    events.push({ type: 'usage', usage })
  }

  function readChoice(
    index: number,
    value: JsonObject,
    chunk: JsonObject,
    extra: JsonObject | undefined,
    events: ChatEvent[],
  ): void {
    const choice = choiceAt(index, chunk)
    if (choice.finished) return
    const logprobs = isJsonObject(value.logprobs) ? value.logprobs : undefined
    const choiceExtra = joined(choice.held, choiceFields(value))
    const common =
      choiceExtra || extra ? { ...(choiceExtra && { choiceExtra }), ...(extra && { extra }) } : undefined
    let told = false
    if (isJsonObject(value.delta)) {
      const delta = canonicalDelta(value.delta, choice.made, choice.toolCalls)
      told = logprobs !== undefined || saysSomething(delta)
      if (logprobs) events.push({ type: 'delta', index, delta, logprobs, ...common })
      else if (told) events.push({ type: 'delta', index, delta, ...common })
    }
    if (told) reported = false
    choice.held = told ? undefined : choiceExtra
    const reason = value.finish_reason
    if (reason === undefined || reason === null || reason === '') return
    const read = decodeFinishReason(reason, choice.made, own)
    if (read.ok) events.push(...finish(choice, index, read, told ? undefined : common))
    else events.push(fail(read.failure))
  }

  function choiceAt(index: number, chunk: JsonObject): OpenChoice {
    const known = begun[index]
    if (known) return known
    const choice: OpenChoice = {
      made: { text: false, toolCalls: false, functionCall: false },
      toolCalls: toolCallReader(`${idPrefixOf(chunk.id)}${index === 0 ? '' : `${index}_`}`),
      held: undefined,
      finished: false,
    }
    begun[index] = choice
    unfinished += 1
    return choice
  }

  return {
    push({ event, data }) {
      if (over) return []
      if (data === '[DONE]') return endStream()
      const chunk = parseJson(data)
      if (event === 'error') return [fail(failureOfErrorEvent(chunk, data))]
      if (!isJsonObject(chunk)) {
        const text = data.trim()
        if (text === '') return []
        if (text === '[DONE]') return endStream()
        return [fail(invalidAnswer(`a frame is not a JSON object: ${text}`))]
      }
      const failure = chunk.error === undefined && chunk.object !== 'error' ? undefined : failureInside(chunk)
      if (failure) return [fail(failure)]
      const events: ChatEvent[] = []
      try {
        readChunk(chunk, events)
      } catch (error) {
        if (!(error instanceof InvalidAnswer)) throw error
        events.push(fail(invalidAnswer(error.message)))
      }
      return events
    },
    end: () => finishStream('was cut'),
  }
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

function groqUsage(envelope: Json): ReturnType<typeof decodeUsage> {
  return isJsonObject(envelope) ? decodeUsage(envelope.usage) : undefined
}
