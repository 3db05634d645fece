import type { AnswerEvent, Delta } from '../../core/answer/event.ts'
import { isJsonObject, type Json, type JsonObject, parseFrame } from '../../core/json.ts'
import { OnlyChoiceEnd, type StreamDecoder, streamDecoder } from '../answerEnd.ts'
import { reportedFailure } from '../errorAnswer.ts'
import type { OwnFinishWords } from '../finishWords.ts'
import { DETAIL_LENGTH_MAX, invalidAnswer } from '../invalidAnswer.ts'
import { readNumber, readObject, readText } from '../read.ts'
import { readError } from '../readError.ts'
import { THOUGHT_FORMATS } from '../../core/thoughtFormat.ts'
import { argumentsText } from '../toolCalls.ts'
import { madeCallId } from '../toolCallIds.ts'
import { decodeCitation } from './citations.ts'
import { bareName } from './decodeError.ts'
import { generatedImage, isServerTool, serviceTierOf } from './decodeResponse.ts'
import { decodeUsage } from './usage.ts'

type Block =
  | { readonly kind: 'text'; readonly startIndex: number }
  | { readonly kind: 'tool'; readonly ordinal: number; empty: boolean }
  | { readonly kind: 'reasoning'; text: string; signature: string; encrypted: string }
  | { readonly kind: 'image'; readonly format: string; readonly pieces: string[] }
  | { readonly kind: 'ignored' }

/**
 * Reads a `ConverseStream`. Its last frame is `metadata` with the usage, after `messageStop`. A reasoning block's detail
 * comes whole, when the block ends.
 */
export function decodeStream(choices = 1, own?: OwnFinishWords, completionId = ''): StreamDecoder {
  const blocks = new Map<number, Block>()
  let toolCount = 0
  let imageCount = 0
  let textLength = 0
  /** What `metadata` says beside the usage. */
  let extra: JsonObject = {}

  const end = new OnlyChoiceEnd(choices, own, {
    beside: () => (Object.keys(extra).length === 0 ? {} : { extra }),
  })

  return streamDecoder(end, (frame) => {
    const event = frame.event ?? ''
    const body = parseFrame(frame.data)
    if (event.endsWith('Exception')) {
      const message = readText(readObject(body)?.message) ?? ''
      const reading = readError({ status: undefined, codes: [event], message, body })
      // An exception of another name is a failure of the provider all the same.
      const kind = reading.kind === 'invalid_answer' ? 'server' : reading.kind
      const text = { codes: [bareName(event)], detail: `${event}: ${frame.data}` }
      return end.fail(reportedFailure({ ...reading, kind }, text))
    }
    if (!isJsonObject(body)) throw invalidAnswer(`no JSON object: ${frame.data}`)
    return end.withBegin(readEvent(event, body))
  })

  function readEvent(event: string, body: JsonObject): AnswerEvent[] {
    const index = readNumber(body.contentBlockIndex) ?? 0
    switch (event) {
      case 'messageStart':
        return end.begin()
      case 'contentBlockStart':
        return openBlock(index, readObject(body.start) ?? {})
      case 'contentBlockDelta':
        return extendBlock(index, readObject(body.delta) ?? {})
      case 'contentBlockStop':
        return closeBlock(index)
      case 'messageStop':
        return stop(body.stopReason ?? '')
      case 'metadata':
        return readMetadata(body)
      default:
        return []
    }
  }

  function openBlock(index: number, start: JsonObject): AnswerEvent[] {
    const format = readText(readObject(start.image)?.format)
    if (format !== undefined) blocks.set(index, { kind: 'image', format, pieces: [] })
    const toolUse = readObject(start.toolUse)
    if (toolUse === undefined) return []
    if (isServerTool(toolUse)) {
      blocks.set(index, { kind: 'ignored' })
      return []
    }
    const ordinal = toolCount++
    blocks.set(index, { kind: 'tool', ordinal, empty: true })
    const id = readText(toolUse.toolUseId) ?? madeCallId(completionId, ordinal)
    const name = readText(toolUse.name) ?? ''
    return delta({
      tool_calls: [{ index: ordinal, id, type: 'function', function: { name, arguments: '' } }],
    })
  }

  function extendBlock(index: number, part: JsonObject): AnswerEvent[] {
    const text = readText(part.text)
    const toolUse = readObject(part.toolUse)
    const reasoning = readObject(part.reasoningContent)
    const citation = readObject(part.citation)
    const image = readObject(part.image)
    if (text !== undefined) {
      if (!blocks.has(index)) blocks.set(index, { kind: 'text', startIndex: textLength })
      textLength += text.length
      return delta({ content: text })
    }
    if (toolUse !== undefined) return extendTool(blocks.get(index), argumentsText(toolUse.input))
    if (reasoning !== undefined) return extendReasoning(index, reasoning)
    if (image !== undefined) return extendImage(blocks.get(index), image)
    if (citation !== undefined) {
      const block = blocks.get(index)
      const annotations = decodeCitation(
        citation,
        block?.kind === 'text' ? block.startIndex : textLength,
        textLength,
      )
      return annotations.length === 0 ? [] : delta({ annotations })
    }
    return []
  }

  function extendTool(block: Block | undefined, input: string): AnswerEvent[] {
    if (input === '') return []
    if (block?.kind === 'ignored') return []
    if (block?.kind !== 'tool') throw invalidAnswer('arguments of a call that never began')
    block.empty = false
    return delta({ tool_calls: [{ index: block.ordinal, function: { arguments: input } }] })
  }

  function extendImage(block: Block | undefined, image: JsonObject): AnswerEvent[] {
    if (block?.kind !== 'image') throw invalidAnswer('bytes of an image that never began')
    const bytes = readText(readObject(image.source)?.bytes)
    if (bytes === undefined) {
      const detail = `an image failed: ${JSON.stringify(image.error ?? null)}`.slice(0, DETAIL_LENGTH_MAX)
      return end.fail({ kind: 'server', detail })
    }
    block.pieces.push(bytes)
    return []
  }

  function extendReasoning(index: number, part: JsonObject): AnswerEvent[] {
    const known = blocks.get(index)
    const block =
      known?.kind === 'reasoning'
        ? known
        : { kind: 'reasoning' as const, text: '', signature: '', encrypted: '' }
    blocks.set(index, block)
    const text = readText(part.text) ?? ''
    block.text += text
    block.signature += readText(part.signature) ?? ''
    block.encrypted += readText(part.redactedContent) ?? ''
    return text === '' ? [] : delta({ reasoning_content: text })
  }

  function closeBlock(index: number): AnswerEvent[] {
    const block = blocks.get(index)
    blocks.delete(index)
    if (block?.kind === 'tool' && block.empty) {
      return delta({ tool_calls: [{ index: block.ordinal, function: { arguments: '{}' } }] })
    }
    if (block?.kind === 'image') return closeImage(block)
    if (block?.kind !== 'reasoning') return []
    const { text, signature, encrypted } = block
    const format = THOUGHT_FORMATS.anthropic
    if (signature !== '')
      return delta({ reasoning_details: [{ type: 'reasoning.text', text, signature, format }] })
    return encrypted === ''
      ? []
      : delta({ reasoning_details: [{ type: 'reasoning.encrypted', data: encrypted, format }] })
  }

  function closeImage({ format, pieces }: Extract<Block, { kind: 'image' }>): AnswerEvent[] {
    const bytes = joinBase64(pieces)
    if (bytes === undefined) throw invalidAnswer('an image that is not base64')
    return delta({ images: [generatedImage(format, bytes, imageCount++)] })
  }

  function stop(reason: Json): AnswerEvent[] {
    const closed = [...blocks.keys()].flatMap(closeBlock)
    return [...closed, ...end.reason(end.at(0), reason)]
  }

  function readMetadata(body: JsonObject): AnswerEvent[] {
    const usage = decodeUsage(body.usage)
    const events: AnswerEvent[] = usage === undefined ? [] : [{ type: 'usage', usage }]
    if (usage !== undefined) end.reported()
    extra = serviceTierOf(body)
    return end.at(0).word === undefined ? events : [...events, ...end.end('last frame')]
  }

  function delta(delta: Delta): AnswerEvent[] {
    const choice = end.at(0)
    choice.made.content ||= textLength > 0 || toolCount > 0 || imageCount > 0
    choice.made.calls ||= toolCount > 0
    end.said(choice)
    return [{ type: 'delta', index: 0, delta }]
  }
}

/** Each piece is base64 of its own, maybe with padding. Undefined for what is none. */
function joinBase64(pieces: readonly string[]): string | undefined {
  if (!pieces.slice(0, -1).some((piece) => piece.endsWith('='))) return pieces.join('')
  try {
    return btoa(pieces.map(atob).join(''))
  } catch (error) {
    if (error instanceof DOMException) return undefined
    throw error
  }
}
