import type { AnswerEvent, Delta } from '../../core/answer/event.ts'
import { type JsonObject, parseFrame } from '../../core/json.ts'
import { promptOf } from '../../core/usage.ts'
import { AnswerEnd, type ChoiceEnd, type StreamDecoder, streamDecoder } from '../answerEnd.ts'
import { askedChoices } from '../askedChoices.ts'
import { type Made, type OwnFinishWords, unsaidReason } from '../finishWords.ts'
import type { Frame } from '../../core/answer/frame.ts'
import { invalidAnswer } from '../invalidAnswer.ts'
import { readObject, readObjects, readText } from '../read.ts'
import { decodeParts } from './candidate.ts'
import { isBlocked } from './decodeResponse.ts'
import { decodeErrorObject, readErrorObject } from './decodeError.ts'
import { decodeFinishReason } from './finishReason.ts'
import { decodeLogprobs } from './logprobs.ts'
import { type Counts, decodeUsage, mergeUsage } from './usage.ts'

/** What has come of one candidate. */
interface Progress extends ChoiceEnd<{ hasText: boolean; calls: number }> {
  images: number
}

/** Every frame is a partial response, and none is marked as the last. */
export function decodeStream(choices?: number, own?: OwnFinishWords, completionId = ''): StreamDecoder {
  let started = false
  let blocked = false
  /** Candidates have come that nobody asked for, and no others beside them. */
  let surplus = false
  let counted: Counts | undefined
  let told: Counts | undefined

  const end = new AnswerEnd<Progress, Progress['made']>({
    asked: choices,
    begin: () => ({ made: { hasText: false, calls: 0 }, word: undefined, images: 0 }),
    read: (word, made) => decodeFinishReason(word, madeOf(made), own),
    unsaid: (made) => unsaidReason(madeOf(made)),
  })

  function read(frame: Frame): AnswerEvent[] {
    const json = parseFrame(frame.data)
    const error = readErrorObject(json)
    if (error) return end.fail(decodeErrorObject(error))
    const answer = readObject(json)
    if (!answer) throw invalidAnswer(`no JSON object: ${frame.data.slice(0, 200)}`)
    blocked ||= isBlocked(answer)
    counted = mergeUsage(counted, answer.usageMetadata)
    const sent = readObjects(answer.candidates)
    const asked = askedChoices(sent, choices)
    // Candidates that nobody asked for begin nothing: it can still be another provider's turn.
    if (asked.length === 0 && sent.length > 0) surplus = true
    const events = asked.length > 0 || !surplus ? begin() : []
    for (const { index, choice } of asked) {
      events.push(...takeCandidate(choice, index))
    }
    const usage = reportUsage()
    if (usage) events.push(usage)
    // Last: a word for a failure ends the stream.
    for (const { index, choice } of asked) {
      const reason = readText(choice.finishReason)
      if (reason !== undefined && !end.over) events.push(...end.reason(end.at(index), reason))
    }
    return events
  }

  function begin(): AnswerEvent[] {
    if (started) return []
    started = true
    return [{ type: 'start' }]
  }

  function takeCandidate(candidate: JsonObject, index: number): readonly AnswerEvent[] {
    const progress = end.at(index)
    const { made } = progress
    const { text, thoughts, calls, signatures, images } = decodeParts(
      candidate,
      { ...made, images: progress.images },
      completionId,
    )
    const delta: { -readonly [Field in keyof Delta]: Delta[Field] } = {}
    if (thoughts !== '') delta.reasoning_content = thoughts
    if (text !== '') delta.content = text
    if (signatures.length > 0) delta.reasoning_details = signatures
    if (calls.length > 0) delta.tool_calls = calls.map((call, i) => ({ index: made.calls + i, ...call }))
    if (images.length > 0) delta.images = images
    made.hasText ||= text !== '' || images.length > 0
    made.calls += calls.length
    progress.images += images.length
    const events: AnswerEvent[] = []
    const logprobs = decodeLogprobs(candidate.logprobsResult)
    if (logprobs) events.push({ type: 'delta', index, delta, logprobs })
    else if (Object.keys(delta).length > 0) events.push({ type: 'delta', index, delta })
    if (events.length > 0) end.said(progress)
    return events
  }

  /** Counts are cumulative. One without output is no report of what was said so far: it counts the prompt alone. */
  function reportUsage(): AnswerEvent | undefined {
    if (!counted || counted === told) return undefined
    if (counted.candidates === undefined && counted.thoughts === undefined) {
      return { type: 'usage', usage: promptOf(decodeUsage(counted)) }
    }
    told = counted
    end.reported()
    return { type: 'usage', usage: decodeUsage(counted) }
  }

  function finish(): AnswerEvent[] {
    if (end.over) return []
    if (blocked)
      for (let index = 0; index < (choices ?? 1); index++) {
        const choice = end.at(index)
        if (choice.word === undefined) end.reason(choice, 'SAFETY')
      }
    const usage: AnswerEvent[] =
      counted && counted !== told ? [{ type: 'usage', usage: decodeUsage(counted) }] : []
    const events = end.end('closed')
    return events.some(({ type }) => type === 'finish') ? [...usage, ...events] : events
  }

  return streamDecoder(end, read, finish)
}

function madeOf({ hasText, calls }: Progress['made']): Made {
  return { content: hasText || calls > 0, calls: calls > 0 }
}
