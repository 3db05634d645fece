import type { ChatEvent, Delta } from '../../core/chat/event.ts'
import { UpstreamError, type UpstreamFailure } from '../../core/failure.ts'
import { type JsonObject, parseJson } from '../../core/json.ts'
import type { Step } from '../../core/step.ts'
import { promptOf } from '../../core/usage.ts'
import { askedChoices } from '../askedChoices.ts'
import { fewerChoices } from '../fewerChoices.ts'
import { type OwnFinishWords, finishEvent } from '../finishWords.ts'
import type { Frame } from '../frame.ts'
import { readObject, readObjects, readText } from '../read.ts'
import { decodeParts } from './candidate.ts'
import { isBlocked } from './decodeResponse.ts'
import { decodeErrorObject, readErrorObject } from './decodeError.ts'
import { decodeFinishReason } from './finishReason.ts'
import { decodeLogprobs } from './logprobs.ts'
import { type Counts, decodeUsage, mergeUsage } from './usage.ts'

/** What has come of one candidate. */
interface Progress {
  hasText: boolean
  calls: number
  images: number
  finishReason: string | undefined
}

/**
 * Every frame is a partial response. Nothing marks the end but the end of the body, so the finishes wait
 * for it: what has a finish reason by then is whole.
 */
export function decodeStream(choices?: number, own?: OwnFinishWords): Step<Frame, ChatEvent> {
  const candidates = new Map<number, Progress>()
  let started = false
  let over = false
  let blocked = false
  /** Candidates have come that nobody asked for, and no others beside them. */
  let surplus = false
  let counted: Counts | undefined
  let told: Counts | undefined

  function read(frame: Frame): ChatEvent[] {
    const json = parseJson(frame.data)
    const error = readErrorObject(json)
    if (error) return fail(decodeErrorObject(error))
    const answer = readObject(json)
    if (!answer)
      return fail({ kind: 'invalid_answer', detail: `no JSON object: ${frame.data.slice(0, 200)}` })
    blocked ||= isBlocked(answer)
    counted = mergeUsage(counted, answer.usageMetadata)
    const sent = readObjects(answer.candidates)
    const asked = askedChoices(sent, choices)
    // Candidates that nobody asked for begin nothing: it can still be another provider's turn.
    if (asked.length === 0 && sent.length > 0) surplus = true
    const events = asked.length > 0 || !surplus ? begin() : []
    for (const { index, choice } of asked) {
      const event = takeCandidate(choice, index, readText(answer.responseId))
      if (event) events.push(event)
    }
    const usage = reportUsage()
    if (usage) events.push(usage)
    return events
  }

  function begin(): ChatEvent[] {
    if (started) return []
    started = true
    return [{ type: 'start' }]
  }

  /** Undefined when there is nothing new. */
  function takeCandidate(
    candidate: JsonObject,
    index: number,
    responseId: string | undefined,
  ): ChatEvent | undefined {
    const progress = progressOf(index)
    const { text, thoughts, calls, signatures, images } = decodeParts(candidate, progress, responseId)
    const delta: { -readonly [Field in keyof Delta]: Delta[Field] } = {}
    if (thoughts !== '') delta.reasoning_content = thoughts
    if (text !== '') delta.content = text
    if (signatures.length > 0) delta.reasoning_details = signatures
    if (calls.length > 0) delta.tool_calls = calls.map((call, i) => ({ index: progress.calls + i, ...call }))
    if (images.length > 0) delta.images = images
    progress.hasText ||= text !== '' || images.length > 0
    progress.calls += calls.length
    progress.images += images.length
    progress.finishReason = readText(candidate.finishReason) ?? progress.finishReason
    const logprobs = decodeLogprobs(candidate.logprobsResult)
    if (logprobs) return { type: 'delta', index, delta, logprobs }
    return Object.keys(delta).length > 0 ? { type: 'delta', index, delta } : undefined
  }

  function progressOf(index: number): Progress {
    const known = candidates.get(index)
    if (known) return known
    const progress: Progress = { hasText: false, calls: 0, images: 0, finishReason: undefined }
    candidates.set(index, progress)
    return progress
  }

  /** Counts are cumulative. One without output is no report of what was said so far: it counts the prompt alone. */
  function reportUsage(): ChatEvent | undefined {
    if (!counted || counted === told) return undefined
    if (counted.candidates === undefined && counted.thoughts === undefined) {
      return { type: 'usage', usage: promptOf(decodeUsage(counted)) }
    }
    told = counted
    return { type: 'usage', usage: decodeUsage(counted) }
  }

  function finish(): ChatEvent[] {
    if (candidates.size === 0 && blocked)
      for (let index = 0; index < (choices ?? 1); index++) progressOf(index).finishReason = 'SAFETY'
    const unfinished = [...candidates.values()].some((candidate) => candidate.finishReason === undefined)
    if (unfinished || candidates.size === 0)
      return fail({ kind: 'invalid_answer', detail: 'the stream ended without a finish reason' })
    const finishes: ChatEvent[] = []
    for (const [index, { finishReason, hasText, calls }] of candidates) {
      const made = { content: hasText || calls > 0, calls: calls > 0 }
      const finish = decodeFinishReason(finishReason, made, own)
      if (!finish.ok) return fail(finish.failure)
      finishes.push(finishEvent(index, finish))
    }
    over = true
    const usage: ChatEvent[] =
      counted && counted !== told ? [{ type: 'usage', usage: decodeUsage(counted) }] : []
    const asked = choices ?? 1
    if (candidates.size >= asked) return [...usage, ...finishes]
    return [...usage, ...finishes, { type: 'error', failure: fewerChoices(candidates.size, asked) }]
  }

  function fail(failure: UpstreamFailure): ChatEvent[] {
    over = true
    return [{ type: 'error', failure }]
  }

  function guarded(step: () => ChatEvent[]): ChatEvent[] {
    if (over) return []
    try {
      return step()
    } catch (error) {
      if (error instanceof UpstreamError) return fail(error.failure)
      throw error
    }
  }

  return {
    push: (frame) => guarded(() => read(frame)),
    end: () => guarded(finish),
  }
}
