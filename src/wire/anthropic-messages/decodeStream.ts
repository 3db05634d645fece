import type { AnswerEvent, Delta } from '../../core/answer/event.ts'
import { type Json, type JsonObject, parseFrame } from '../../core/json.ts'
import { promptOf } from '../../core/usage.ts'
import { OnlyChoiceEnd, type StreamDecoder, streamDecoder } from '../answerEnd.ts'
import type { OwnFinishWords } from '../finishWords.ts'
import type { Frame } from '../../core/answer/frame.ts'
import type { Carrier } from '../carriedFrames.ts'
import { invalidAnswer } from '../invalidAnswer.ts'
import { readNumber, readObject, readText } from '../read.ts'
import { madeCallId } from '../toolCallIds.ts'
import { decodeCitations } from './citations.ts'
import { decodeErrorObject } from './decodeError.ts'
import { thinkingDetails } from './reasoning.ts'
import { type Counts, decodeUsage, mergeUsage } from './usage.ts'

/** A content block that has begun and not yet ended. */
type Block =
  | { readonly kind: 'text'; readonly start: number; readonly citations: JsonObject[] }
  | { readonly kind: 'thinking'; text: string; signature: string }
  /** `input`: what the block began with, used when no fragment follows. */
  | { readonly kind: 'tool'; readonly ordinal: number; readonly input: Json; fragments: boolean }
  | { readonly kind: 'other' }

/** https://platform.claude.com/docs/en/build-with-claude/streaming */
/**
 * @param carrier puts frames on the events that they become. Default: they end here.
 */
export function decodeStream(
  choices = 1,
  own?: OwnFinishWords,
  completionId = '',
  carrier?: Carrier,
): StreamDecoder {
  const blocks = new Map<number, Block>()
  /** The id of the message that is being told. */
  let messageId: string | undefined
  /** A block of it has begun. */
  let hasBlocks = false
  let calls = 0
  let contentLength = 0
  let counted: Counts | undefined
  /** `message_delta` has said how much the answer used. */
  let reported = false
  let outputReported = false
  let refused = false

  const end = new OnlyChoiceEnd(choices, own, {
    close() {
      // Blocks that were not closed began before the last report, so it counts them: it comes again after them.
      const closed = [...blocks.keys()].flatMap(closeBlock)
      return closed.length > 0 ? [...closed, ...report()] : []
    },
  })

  function read(frame: Frame): AnswerEvent[] {
    const json = readObject(parseFrame(frame.data))
    if (!json) throw invalidAnswer(`no JSON object: ${frame.data.slice(0, 200)}`)
    const type = readText(json.type) ?? frame.event
    const events = interpret(json, type)
    return carrier ? carrier.carry(frame, json, type, events) : events
  }

  function interpret(json: JsonObject, type: string | undefined): AnswerEvent[] {
    const index = readNumber(json.index) ?? 0
    switch (type) {
      case 'message_start':
        return startMessage(readObject(json.message) ?? {})
      case 'content_block_start':
        return [...end.begin(), ...openBlock(index, readObject(json.content_block) ?? {})]
      case 'content_block_delta':
        return [...end.begin(), ...extendBlock(index, readObject(json.delta) ?? {})]
      case 'content_block_stop':
        return closeBlock(index)
      case 'message_delta':
        return [...end.begin(), ...takeMessageDelta(json)]
      case 'message_stop':
        return end.end('last frame')
      case 'error':
        return end.fail(decodeErrorObject(json))
      default:
        // `ping` and events of later versions. An error object without a type is still an error.
        return json.error === undefined ? [] : end.fail(decodeErrorObject(json))
    }
  }

  /** It may come twice. That of another message, once a block of this one has begun, cuts this one off. */
  function startMessage({ id: sent, usage }: JsonObject): AnswerEvent[] {
    const id = readText(sent) ?? messageId
    if (hasBlocks && id !== messageId) throw invalidAnswer('another message began within the first')
    messageId = id
    counted = mergeUsage(counted, usage)
    return [...end.begin(), ...reportPrompt()]
  }

  function openBlock(index: number, block: JsonObject): AnswerEvent[] {
    hasBlocks = true
    switch (block.type) {
      case 'text':
        blocks.set(index, { kind: 'text', start: contentLength, citations: [] })
        return content(readText(block.text))
      case 'thinking':
        blocks.set(index, { kind: 'thinking', text: '', signature: readText(block.signature) ?? '' })
        return think(index, readText(block.thinking))
      case 'redacted_thinking': {
        const details = thinkingDetails(block)
        return details.length > 0 ? [say({ reasoning_details: details })] : []
      }
      case 'tool_use': {
        const ordinal = calls++
        blocks.set(index, { kind: 'tool', ordinal, input: block.input ?? {}, fragments: false })
        const call = { name: readText(block.name) ?? '', arguments: '' }
        const id = readText(block.id) ?? madeCallId(completionId, ordinal)
        return [say({ tool_calls: [{ index: ordinal, id, type: 'function', function: call }] })]
      }
      default:
        blocks.set(index, { kind: 'other' })
        return []
    }
  }

  function extendBlock(index: number, change: JsonObject): AnswerEvent[] {
    const block = blocks.get(index)
    switch (change.type) {
      case 'text_delta':
        return content(readText(change.text))
      case 'thinking_delta':
        return think(index, readText(change.thinking))
      case 'signature_delta':
        if (block?.kind === 'thinking') block.signature += readText(change.signature) ?? ''
        return []
      case 'input_json_delta': {
        const fragment = readText(change.partial_json)
        if (block?.kind !== 'tool' || fragment === undefined) return []
        block.fragments = true
        return [argumentsDelta(block.ordinal, fragment)]
      }
      case 'citations_delta': {
        const citation = readObject(change.citation)
        if (block?.kind === 'text' && citation) block.citations.push(citation)
        return []
      }
      default:
        return []
    }
  }

  function closeBlock(index: number): AnswerEvent[] {
    const block = blocks.get(index)
    blocks.delete(index)
    switch (block?.kind) {
      case 'thinking': {
        const { text: thinking, signature } = block
        const details = thinkingDetails({ type: 'thinking', thinking, signature })
        return details.length > 0 ? [say({ reasoning_details: details })] : []
      }
      case 'tool':
        return block.fragments ? [] : [argumentsDelta(block.ordinal, JSON.stringify(block.input))]
      case 'text': {
        const annotations = decodeCitations(block.citations, block.start, contentLength)
        return annotations.length > 0 ? [say({ annotations })] : []
      }
      default:
        return []
    }
  }

  function takeMessageDelta(json: JsonObject): AnswerEvent[] {
    const change = readObject(json.delta)
    const stopReason = change?.stop_reason ?? ''
    const output = readNumber(readObject(json.usage)?.output_tokens)
    reported ||= output !== undefined
    outputReported ||= output !== undefined && output > 0
    counted = mergeUsage(counted, json.usage)
    const events = refuse(readText(readObject(change?.stop_details)?.explanation))
    if (output !== undefined) end.reported()
    return [...events, ...report(), ...(stopReason === '' ? [] : end.reason(end.at(0), stopReason))]
  }

  /** What `message_start` reports is the prompt alone. */
  function reportPrompt(): AnswerEvent[] {
    return counted && !reported ? [{ type: 'usage', usage: promptOf(decodeUsage(counted)) }] : []
  }

  function report(): AnswerEvent[] {
    if (!counted) return []
    // The output that `message_start` reports is one token that stands for all to come: it is no report.
    const output = outputReported ? counted.output : 0
    return [{ type: 'usage', usage: decodeUsage({ ...counted, output }) }]
  }

  /** Before the usage, which counts it: a report that words follow is not the last. */
  function refuse(refusal: string | undefined): AnswerEvent[] {
    if (refusal === undefined || refused) return []
    refused = true
    return [say({ refusal })]
  }

  function content(text: string | undefined): AnswerEvent[] {
    if (text === undefined) return []
    contentLength += text.length
    return [say({ content: text })]
  }

  function think(index: number, text: string | undefined): AnswerEvent[] {
    const block = blocks.get(index)
    if (text === undefined || block?.kind !== 'thinking') return []
    block.text += text
    return [say({ reasoning_content: text })]
  }

  function say(delta: Delta): AnswerEvent {
    const { made } = end.at(0)
    made.content ||= contentLength > 0 || calls > 0
    made.calls ||= calls > 0
    end.said(end.at(0))
    return { type: 'delta', index: 0, delta }
  }

  function argumentsDelta(ordinal: number, fragment: string): AnswerEvent {
    return say({ tool_calls: [{ index: ordinal, function: { arguments: fragment } }] })
  }

  const closed = () => end.end('closed')
  return streamDecoder(end, read, carrier ? () => carrier.close(closed()) : closed)
}
