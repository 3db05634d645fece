import type { AnswerEvent } from '../../core/answer/event.ts'
import type { Frame } from '../../core/answer/frame.ts'
import { type JsonObject, parseFrame } from '../../core/json.ts'
import { OnlyChoiceEnd, type StreamDecoder, streamDecoder } from '../answerEnd.ts'
import type { OwnFinishWords } from '../finishWords.ts'
import type { Carrier } from '../carriedFrames.ts'
import { invalidAnswer } from '../invalidAnswer.ts'
import { isCut } from '../openai-chat/finishReason.ts'
import { readNumber, readObject, readText } from '../read.ts'
import { AnswerOutput } from './answerOutput.ts'
import { decodeErrorObject, errorIn } from './decodeError.ts'
import { extraOf } from './decodeResponse.ts'
import { decodeUsage } from './decodeUsage.ts'
import type { Said } from './messageSoFar.ts'
import { type FinalStatus, readEnding } from './status.ts'

/**
 * Reads a stream of a response. Its last event (`response.completed`, `response.incomplete`, `response.failed`) holds the
 * whole response: of that comes what its deltas did not bring, and the usage. Event and item types without a place in the
 * canonical language are left out.
 *
 * @param carrier puts frames on the events that they become. Default: they end here.
 */
export function decodeStream(
  choices = 1,
  own?: OwnFinishWords,
  completionId = '',
  carrier?: Carrier,
): StreamDecoder {
  const output = new AnswerOutput(completionId)
  /** As the last event has it. */
  let response: JsonObject = {}

  const end = new OnlyChoiceEnd(choices, own, {
    close(_choice, _index, { reason }) {
      const completed = isCut(reason) ? [] : say(output.completeCalls())
      // Last: a report does not cover what is said after it.
      return [...completed, ...report(reason === 'content_filter')]
    },
    beside() {
      const extra = extraOf(response)
      return Object.keys(extra).length > 0 ? { extra } : {}
    },
  })

  function read(frame: Frame): AnswerEvent[] {
    const text = frame.data.trim()
    if (text === '') return []
    if (text === '[DONE]') return close('last frame')
    const json = readObject(parseFrame(frame.data))
    if (!json) throw invalidAnswer(`no JSON object: ${text}`)
    const type = readText(json.type) ?? frame.event
    const events = readEvent(type, json)
    return carrier ? carrier.carry(frame, json, type, events) : events
  }

  function close(how: 'last frame' | 'closed'): AnswerEvent[] {
    const events = end.end(how)
    return carrier ? carrier.close(events) : events
  }

  function readEvent(type: string | undefined, json: JsonObject): AnswerEvent[] {
    switch (type) {
      case 'response.completed':
        return endBy('completed', json)
      case 'response.incomplete':
        return endBy('incomplete', json)
      case 'response.failed':
        return endBy('failed', json)
      case 'error':
        return end.fail(decodeErrorObject(json.error ?? withoutType(json)))
      default: {
        const error = errorIn(json)
        if (error !== undefined) return end.fail(decodeErrorObject(error))
        const events = say(interpret(type, json))
        return type?.startsWith('response.') ? [...end.begin(), ...events] : events
      }
    }
  }

  function interpret(type: string | undefined, json: JsonObject): Said[] {
    const delta = readText(json.delta) ?? ''
    const part = readNumber(json.content_index) ?? 0
    switch (type) {
      case 'response.output_item.added':
        return output.begin(json)
      case 'response.output_item.done':
        return output.end(json)
      case 'response.output_text.delta':
        return output.messageOf(json).speak(part, delta, json.logprobs)
      case 'response.output_text.annotation.added':
        return output.messageOf(json).annotate(part, json.annotation)
      case 'response.output_text.done':
        return output.messageOf(json).fillPart(part, { text: json.text, logprobs: json.logprobs })
      case 'response.refusal.delta':
        return output.messageOf(json).refuse(part, delta)
      case 'response.refusal.done':
        return output.messageOf(json).fillPart(part, { type: 'refusal', refusal: json.refusal })
      case 'response.content_part.done':
        return endPart(part, json)
      case 'response.function_call_arguments.delta':
        return output.callOf('function_call', json).extend(delta)
      case 'response.function_call_arguments.done':
        return output.callOf('function_call', json).fill(json.arguments)
      case 'response.custom_tool_call_input.delta':
        return output.callOf('custom_tool_call', json).extend(delta)
      case 'response.custom_tool_call_input.done':
        return output.callOf('custom_tool_call', json).fill(json.input)
      case 'response.reasoning_summary_text.delta':
        return output.reasoningOf(json).think('summary', readNumber(json.summary_index) ?? 0, delta)
      case 'response.reasoning_summary_text.done':
        return output
          .reasoningOf(json)
          .fillPart('summary', readNumber(json.summary_index) ?? 0, readText(json.text) ?? '')
      case 'response.reasoning_summary_part.done':
        return output
          .reasoningOf(json)
          .fillPart(
            'summary',
            readNumber(json.summary_index) ?? 0,
            readText(readObject(json.part)?.text) ?? '',
          )
      case 'response.reasoning_text.delta':
        return output.reasoningOf(json).think('text', part, delta)
      case 'response.reasoning_text.done':
        return output.reasoningOf(json).fillPart('text', part, readText(json.text) ?? '')
      default:
        return []
    }
  }

  function endPart(place: number, json: JsonObject): Said[] {
    const part = readObject(json.part) ?? {}
    switch (part.type) {
      case 'output_text':
      case 'refusal':
        return output.messageOf(json).fillPart(place, part)
      case 'reasoning_text':
        return output.reasoningOf(json).fillPart('text', place, readText(part.text) ?? '')
      default:
        return []
    }
  }

  function endBy(final: FinalStatus, json: JsonObject): AnswerEvent[] {
    response = readObject(json.response) ?? {}
    const error = errorIn(response) ?? errorIn(json)
    const ending = readEnding(error === undefined ? response : { ...response, error }, final)
    if (ending.type === 'failed') {
      // A failure begins nothing: it can still be another provider's turn.
      return end.choices.size > 0 ? [...report(false), ...end.fail(ending.failure)] : end.fail(ending.failure)
    }
    if (ending.type === 'open') return []
    const rest = say(output.endAll(response.output))
    Object.assign(end.at(0).made, output.made)
    if (decodeUsage(response.usage)) end.reported()
    const failed = end.reason(end.at(0), ending.word)
    // Output that its reason makes a failure is charged as reported.
    const reported = failed.length > 0 ? report(false) : []
    return [...end.begin(), ...rest, ...reported, ...failed, ...end.end('last frame')]
  }

  function report(isFiltered: boolean): AnswerEvent[] {
    const usage = decodeUsage(response.usage, isFiltered)
    return usage ? [{ type: 'usage', usage }] : []
  }

  function say(said: readonly Said[]): AnswerEvent[] {
    if (said.length === 0) return []
    const choice = end.at(0)
    Object.assign(choice.made, output.made)
    end.said(choice)
    return said.map(({ delta, ...more }) => ({ type: 'delta', index: 0, delta, ...more }))
  }

  return streamDecoder(end, read, () => close('closed'))
}

function withoutType({ type: _type, ...error }: JsonObject): JsonObject {
  return error
}
