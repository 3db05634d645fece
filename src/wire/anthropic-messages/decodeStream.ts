import type { ChatEvent, Delta } from '../../core/chat/event.ts'
import { UpstreamError, type UpstreamFailure } from '../../core/failure.ts'
import { type Json, type JsonObject, parseJson } from '../../core/json.ts'
import type { Step } from '../../core/step.ts'
import { promptOf } from '../../core/usage.ts'
import { ONE_OF_SEVERAL } from '../askedChoices.ts'
import { type Finish, type OwnFinishWords, finishEvent, readFinish, unsaidReason } from '../finishWords.ts'
import type { Frame } from '../frame.ts'
import { readNumber, readObject, readText } from '../read.ts'
import { decodeCitations } from './citations.ts'
import { decodeErrorObject } from './decodeError.ts'
import { callId } from './decodeResponse.ts'
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
export function decodeStream(choices = 1, own?: OwnFinishWords): Step<Frame, ChatEvent> {
  const blocks = new Map<number, Block>()
  let started = false
  /** The id of the message that is being told. */
  let messageId: string | undefined
  /** A block of it has begun. */
  let hasBlocks = false
  let over = false
  let calls = 0
  let contentLength = 0
  let counted: Counts | undefined
  let stopReason: string | undefined
  /** `message_delta` has told how much the answer used. */
  let reported = false
  let outputReported = false
  let refused = false

  function read(frame: Frame): ChatEvent[] {
    const json = readObject(parseJson(frame.data))
    if (!json) return fail({ kind: 'invalid_answer', detail: `no JSON object: ${frame.data.slice(0, 200)}` })
    const type = readText(json.type) ?? frame.event
    const index = readNumber(json.index) ?? 0
    switch (type) {
      case 'message_start':
        return startMessage(readObject(json.message) ?? {})
      case 'content_block_start':
        return [...begin(), ...openBlock(index, readObject(json.content_block) ?? {})]
      case 'content_block_delta':
        return [...begin(), ...extendBlock(index, readObject(json.delta) ?? {})]
      case 'content_block_stop':
        return closeBlock(index)
      case 'message_delta':
        return [...begin(), ...takeMessageDelta(json)]
      case 'message_stop':
        return finish()
      case 'error':
        return fail(decodeErrorObject(json))
      default:
        // `ping` and events of later versions. An error object without a type is still an error.
        return json.error === undefined ? [] : fail(decodeErrorObject(json))
    }
  }

  /** It may come twice. That of another message, once a block of this one has begun, cuts this one off. */
  function startMessage({ id: sent, usage }: JsonObject): ChatEvent[] {
    const id = readText(sent) ?? messageId
    if (hasBlocks && id !== messageId)
      return fail({ kind: 'invalid_answer', detail: 'another message began within the first' })
    messageId = id
    counted = mergeUsage(counted, usage)
    return [...begin(), ...reportPrompt()]
  }

  function begin(): ChatEvent[] {
    if (started) return []
    started = true
    return [{ type: 'start' }]
  }

  function openBlock(index: number, block: JsonObject): ChatEvent[] {
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
        return details.length > 0 ? [delta({ reasoning_details: details })] : []
      }
      case 'tool_use': {
        const ordinal = calls++
        blocks.set(index, { kind: 'tool', ordinal, input: block.input ?? {}, fragments: false })
        const call = { name: readText(block.name) ?? '', arguments: '' }
        const id = readText(block.id) ?? callId(messageId, ordinal)
        return [delta({ tool_calls: [{ index: ordinal, id, type: 'function', function: call }] })]
      }
      default:
        blocks.set(index, { kind: 'other' })
        return []
    }
  }

  function extendBlock(index: number, change: JsonObject): ChatEvent[] {
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

  function closeBlock(index: number): ChatEvent[] {
    const block = blocks.get(index)
    blocks.delete(index)
    switch (block?.kind) {
      case 'thinking': {
        const { text: thinking, signature } = block
        const details = thinkingDetails({ type: 'thinking', thinking, signature })
        return details.length > 0 ? [delta({ reasoning_details: details })] : []
      }
      case 'tool':
        return block.fragments ? [] : [argumentsDelta(block.ordinal, JSON.stringify(block.input))]
      case 'text': {
        const annotations = decodeCitations(block.citations, block.start, contentLength)
        return annotations.length > 0 ? [delta({ annotations })] : []
      }
      default:
        return []
    }
  }

  function takeMessageDelta(json: JsonObject): ChatEvent[] {
    const change = readObject(json.delta)
    stopReason = readText(change?.stop_reason) ?? stopReason
    const output = readNumber(readObject(json.usage)?.output_tokens)
    reported ||= output !== undefined
    outputReported ||= output !== undefined && output > 0
    counted = mergeUsage(counted, json.usage)
    const events = refuse(readText(readObject(change?.stop_details)?.explanation))
    return [...events, ...report()]
  }

  /** What `message_start` reports is the prompt alone. */
  function reportPrompt(): ChatEvent[] {
    return counted && !reported ? [{ type: 'usage', usage: promptOf(decodeUsage(counted)) }] : []
  }

  function report(): ChatEvent[] {
    if (!counted) return []
    // The output that `message_start` reports is one token that stands for all to come: it is no report.
    const output = outputReported ? counted.output : 0
    return [{ type: 'usage', usage: decodeUsage({ ...counted, output }) }]
  }

  /** Only `message_stop` proves that the message is complete. After a usage report it needs no stop reason. */
  function finish(): ChatEvent[] {
    if (stopReason === undefined && !reported)
      return fail({ kind: 'invalid_answer', detail: 'no stop reason' })
    if (choices > 1) return fail({ kind: 'invalid_answer', detail: ONE_OF_SEVERAL })
    // Blocks that nobody closed began before the last report, so it counts them: it is told again after them.
    const closed = [...blocks.keys()].flatMap(closeBlock)
    const events = closed.length > 0 ? [...closed, ...report()] : []
    const made = { content: contentLength > 0 || calls > 0, calls: calls > 0 }
    // A usage report in the format's last event proves that the answer is whole, even without a reason.
    const finish: Finish =
      stopReason === undefined ? { ok: true, reason: unsaidReason(made) } : readFinish(stopReason, made, own)
    if (!finish.ok) return [...events, ...fail(finish.failure)]
    over = true
    return [...events, finishEvent(0, finish)]
  }

  /** Before the usage, which counts it: a report that words follow is not the last. */
  function refuse(refusal: string | undefined): ChatEvent[] {
    if (refusal === undefined || refused) return []
    refused = true
    return [delta({ refusal })]
  }

  function content(text: string | undefined): ChatEvent[] {
    if (text === undefined) return []
    contentLength += text.length
    return [delta({ content: text })]
  }

  function think(index: number, text: string | undefined): ChatEvent[] {
    const block = blocks.get(index)
    if (text === undefined || block?.kind !== 'thinking') return []
    block.text += text
    return [delta({ reasoning_content: text })]
  }

  function fail(failure: UpstreamFailure): ChatEvent[] {
    over = true
    return [{ type: 'error', failure }]
  }

  return {
    push(frame) {
      if (over) return []
      try {
        return read(frame)
      } catch (error) {
        if (error instanceof UpstreamError) return fail(error.failure)
        throw error
      }
    },
    end() {
      if (over) return []
      return fail({ kind: 'invalid_answer', detail: 'the stream ended without message_stop' })
    },
  }
}

function delta(delta: Delta): ChatEvent {
  return { type: 'delta', index: 0, delta }
}

function argumentsDelta(ordinal: number, fragment: string): ChatEvent {
  return delta({ tool_calls: [{ index: ordinal, function: { arguments: fragment } }] })
}
