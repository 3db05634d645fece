import type { ChatEvent } from '../../core/chat/event.ts'
import type { UpstreamFailure } from '../../core/failure.ts'
import { type Json, type JsonObject, isJsonObject, parseJson } from '../../core/json.ts'
import type { Step } from '../../core/step.ts'
import type { Frame } from '../frame.ts'
import { failureInside, failureOfErrorEvent } from './decodeError.ts'
import { CHOICE_INDEX_END, idPrefixOf } from './decodeResponse.ts'
import { extraFields } from './extraFields.ts'
import { type Made, decodeFinishReason } from './finishReason.ts'
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
 * Reads a stream of chat completion chunks, OpenAI's and its imitators' (reference "Wire", A4 and B7).
 * The answer is whole when every choice that began, and at least `expectedChoices`, has finished;
 * `[DONE]` alone proves nothing, and is not needed.
 */
export function decodeStream(expectedChoices = 1): Step<Frame, ChatEvent> {
  const choices: OpenChoice[] = []
  let unfinished = 0
  let finished = 0
  let started = false
  let over = false

  function fail(failure: UpstreamFailure): ChatEvent {
    over = true
    return { type: 'error', failure }
  }

  function finishStream(how: string): ChatEvent[] {
    if (over) return []
    if (unfinished > 0 || finished < expectedChoices) {
      return [fail(invalidAnswer(`the stream ${how} before its choices had finished`))]
    }
    over = true
    return []
  }

  function readChunk(chunk: JsonObject, events: ChatEvent[]): void {
    const isChunk = Array.isArray(chunk.choices)
    const extra = isChunk ? extraFields(chunk) : undefined
    if (isChunk && !started) {
      started = true
      events.push(extra ? { type: 'start', extra } : { type: 'start' })
    }
    if (Array.isArray(chunk.choices)) {
      for (const choice of chunk.choices) readChoice(choice, chunk, extra, events)
    }
    const usage =
      decodeUsage(chunk.usage) ?? (chunk.x_groq === undefined ? undefined : groqUsage(chunk.x_groq))
    if (usage) events.push({ type: 'usage', usage })
  }

  function readChoice(
    value: Json,
    chunk: JsonObject,
    extra: JsonObject | undefined,
    events: ChatEvent[],
  ): void {
    if (!isJsonObject(value)) throw new InvalidAnswer('a choice is no object')
    const index = indexOf(value)
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
    choice.held = told ? undefined : choiceExtra
    const reason = value.finish_reason
    if (reason === undefined || reason === null || reason === '') return
    const finish = decodeFinishReason(reason, choice.made)
    if (!finish.ok) {
      events.push(fail(finish.failure))
      return
    }
    choice.finished = true
    unfinished -= 1
    finished += 1
    events.push({ type: 'finish', index, reason: finish.reason, ...(told ? undefined : common) })
  }

  function choiceAt(index: number, chunk: JsonObject): OpenChoice {
    const known = choices[index]
    if (known) return known
    const choice: OpenChoice = {
      made: { text: false, toolCalls: false, functionCall: false },
      toolCalls: toolCallReader(`${idPrefixOf(chunk.id)}${index === 0 ? '' : `${index}_`}`),
      held: undefined,
      finished: false,
    }
    choices[index] = choice
    unfinished += 1
    return choice
  }

  return {
    push({ event, data }) {
      if (over) return []
      if (data === '[DONE]') return finishStream('ended')
      const chunk = parseJson(data)
      if (event === 'error') return [fail(failureOfErrorEvent(chunk, data))]
      if (!isJsonObject(chunk)) {
        const text = data.trim()
        if (text === '') return []
        if (text === '[DONE]') return finishStream('ended')
        return [fail(invalidAnswer(`a frame is no JSON object: ${text}`))]
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

function indexOf(choice: JsonObject): number {
  const index = choice.index ?? 0
  if (typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < CHOICE_INDEX_END)
    return index
  throw new InvalidAnswer(`a choice has the index ${JSON.stringify(index)}`)
}

function joined(before: JsonObject | undefined, more: JsonObject | undefined): JsonObject | undefined {
  return before && more ? { ...before, ...more } : (more ?? before)
}

/** Fields of a choice that no field of ours models; undefined when there are none. */
function choiceFields(choice: JsonObject): JsonObject | undefined {
  let extra: Record<string, Json> | undefined
  for (const name in choice) {
    switch (name) {
      case 'index':
      case 'delta':
      case 'finish_reason':
      case 'logprobs':
      case '__proto__':
        continue
      default: {
        const value = choice[name]
        if (value === undefined || value === null) continue
        extra ??= {}
        extra[name] = value
      }
    }
  }
  return extra
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
