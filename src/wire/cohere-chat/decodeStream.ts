import type { AnswerEvent, Delta } from '../../core/answer/event.ts'
import { hasText } from '../../core/answer/hasText.ts'
import { isJsonObject, type JsonObject, parseFrame } from '../../core/json.ts'
import { OnlyChoiceEnd, type StreamDecoder, streamDecoder } from '../answerEnd.ts'
import type { OwnFinishWords } from '../finishWords.ts'
import { invalidAnswer } from '../invalidAnswer.ts'
import { readNumber, readObject, readText } from '../read.ts'
import { argumentsText } from '../toolCalls.ts'
import { madeCallId } from '../toolCallIds.ts'
import { decodeCitation } from './citations.ts'
import { failureInside } from './decodeError.ts'
import { decodeLogprobs } from './logprobs.ts'
import { decodeUsage } from './usage.ts'

/** Reads Cohere's typed events, from `message-start` to `message-end`; other types are of no account. */
export function decodeStream(choices = 1, own?: OwnFinishWords, completionId = ''): StreamDecoder {
  /** Cohere's index of a call → its ordinal among the calls, and whether it has arguments yet. */
  const calls = new Map<number, { readonly ordinal: number; empty: boolean }>()

  const end = new OnlyChoiceEnd(choices, own)

  return streamDecoder(end, (frame) => {
    if (frame.data.trim() === '[DONE]') return []
    const event = parseFrame(frame.data)
    if (!isJsonObject(event)) throw invalidAnswer(`no JSON object: ${frame.data}`)
    const type = readText(event.type) ?? frame.event
    if (type === undefined) throw invalidAnswer(`no type: ${frame.data}`)
    return end.withBegin(readEvent(type, event))
  })

  function readEvent(type: string, event: JsonObject): AnswerEvent[] {
    const body = readObject(event.delta) ?? {}
    const message = readObject(body.message) ?? {}
    const index = readNumber(event.index) ?? 0
    switch (type) {
      case 'message-start':
        return end.begin()
      case 'content-start':
      case 'content-delta':
        return readContentDelta(readObject(message.content) ?? {}, readObject(event.logprobs))
      case 'tool-plan-delta':
        return delta({ content: readText(message.tool_plan) ?? '' })
      case 'tool-call-start':
        return startCall(index, readObject(message.tool_calls) ?? {})
      case 'tool-call-delta':
        return extendCall(index, argumentsText(calledOf(message)?.arguments))
      case 'tool-call-end':
        return calls.get(index)?.empty ? extendCall(index, '{}') : []
      case 'citation-start': {
        const citation = readObject(message.citations)
        const annotations = citation === undefined ? [] : decodeCitation(citation)
        return annotations.length === 0 ? [] : delta({ annotations })
      }
      case 'message-end':
        return endMessage(body)
      default:
        return []
    }
  }

  function readContentDelta(content: JsonObject, item: JsonObject | undefined): AnswerEvent[] {
    const text = readText(content.text)
    const reasoning = readText(content.thinking)
    const logprobs = item === undefined ? undefined : decodeLogprobs([item])
    const part: Delta = {
      ...(text !== undefined && { content: text }),
      ...(reasoning !== undefined && { reasoning_content: reasoning }),
    }
    return Object.keys(part).length === 0 && logprobs === undefined ? [] : delta(part, logprobs)
  }

  function startCall(index: number, call: JsonObject): AnswerEvent[] {
    const ordinal = calls.size
    const called = readObject(call.function)
    const text = argumentsText(called?.arguments)
    calls.set(index, { ordinal, empty: text === '' })
    const id = readText(call.id) ?? madeCallId(completionId, ordinal)
    const name = readText(called?.name) ?? ''
    return delta({
      tool_calls: [{ index: ordinal, id, type: 'function', function: { name, arguments: text } }],
    })
  }

  function extendCall(index: number, text: string): AnswerEvent[] {
    const call = calls.get(index)
    if (call === undefined) throw invalidAnswer('arguments of a call that never began')
    if (text === '') return []
    call.empty = false
    return delta({ tool_calls: [{ index: call.ordinal, function: { arguments: text } }] })
  }

  /** The last frame. */
  function endMessage(body: JsonObject): AnswerEvent[] {
    const error = readText(body.error)
    const reason = body.finish_reason ?? ''
    if (error !== undefined) return end.fail(failureInside(body, error))
    const choice = end.at(0)
    const usage = decodeUsage(body.usage)
    const events: AnswerEvent[] = usage === undefined ? [] : [{ type: 'usage', usage }]
    if (usage !== undefined) end.reported()
    if (reason !== '') events.push(...end.reason(choice, reason))
    return [...events, ...end.end('last frame')]
  }

  /** Nothing for an empty text. */
  function delta(part: Delta, logprobs?: JsonObject): AnswerEvent[] {
    if (part.content === '' && logprobs === undefined) return []
    const choice = end.at(0)
    choice.made.content ||= hasText(part)
    choice.made.calls ||= calls.size > 0
    end.said(choice)
    return [{ type: 'delta', index: 0, delta: part, ...(logprobs && { logprobs }) }]
  }
}

function calledOf(message: JsonObject): JsonObject | undefined {
  return readObject(readObject(message.tool_calls)?.function)
}
