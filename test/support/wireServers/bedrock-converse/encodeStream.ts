import { unreachable } from '../../../../src/core/assert.ts'
import type { AnswerEvent, Delta, ToolCallDelta } from '../../../../src/core/answer/event.ts'
import type { JsonObject } from '../../../../src/core/json.ts'
import type { ReasoningDetail } from '../../../../src/core/chat/request.ts'
import type { Step } from '../../../../src/core/step.ts'
import type { Usage } from '../../../../src/core/usage.ts'
import { compact } from '../../../../src/wire/read.ts'
import { encodeAwsEventStreamFrame } from '../../awsEventStreamFrame.ts'
import { encodeCitation } from './citations.ts'
import { encodeFinishReason } from './finishReason.ts'
import { encodeUsage } from './usage.ts'

/** Writes a `ConverseStream` of the first choice: blocks one after the other, metadata last. */
export function encodeStream(): Step<AnswerEvent, Uint8Array> {
  /** What the open block holds: text, reasoning, or the call of this ordinal. */
  let open: 'text' | 'reasoning' | number | undefined
  let blockIndex = -1
  /** The text of the open reasoning block. */
  let thought = ''
  let started = false
  let failed = false
  let usage: Usage | undefined
  let tier: JsonObject | undefined

  return {
    push(event) {
      if (failed) return []
      switch (event.type) {
        case 'start':
          tier = tierOf(event.extra)
          return begin()
        case 'delta':
          return event.index === 0 ? [...begin(), ...writeDelta(event.delta)] : []
        case 'finish':
          if (event.index !== 0) return []
          tier ??= tierOf(event.extra)
          return [
            ...begin(),
            ...closeBlock(),
            write('messageStop', { stopReason: encodeFinishReason(event.reason) }),
          ]
        case 'usage':
          usage = event.usage
          return []
        case 'error':
          failed = true
          return [write('modelStreamErrorException', { message: 'The provider failed.' })]
        default:
          return unreachable(event)
      }
    },
    end() {
      if (failed) return []
      return [
        write(
          'metadata',
          compact({
            usage: usage === undefined ? undefined : encodeUsage(usage),
            metrics: { latencyMs: 0 },
            serviceTier: tier,
          }),
        ),
      ]
    },
  }

  function begin(): Uint8Array[] {
    if (started) return []
    started = true
    return [write('messageStart', { role: 'assistant' })]
  }

  function writeDelta(delta: Delta): Uint8Array[] {
    const out: Uint8Array[] = []
    // One with an id is the signature of another provider's call.
    const details = (delta.reasoning_details ?? []).filter((detail) => detail.id === undefined)
    const told = details.map(({ type, text }) => (type === 'reasoning.text' ? (text ?? '') : '')).join('')
    // What the details say too is written once, block by block.
    if (delta.reasoning_content && delta.reasoning_content !== told)
      out.push(...writeThought(delta.reasoning_content))
    for (const detail of details) out.push(...writeDetail(detail))
    const said = delta.content || delta.refusal
    if (said) out.push(...openBlock('text'), writePart({ text: said }))
    for (const citation of (delta.annotations ?? []).flatMap(encodeCitation)) {
      out.push(...openBlock('text'), writePart({ citation }))
    }
    for (const call of delta.tool_calls ?? []) out.push(...writeCall(call))
    return out
  }

  /** A signature closes its block: what follows is another thought. Its text may repeat what the block holds. */
  function writeDetail(detail: ReasoningDetail): Uint8Array[] {
    const { type, text, signature, data } = detail
    if (type === 'reasoning.encrypted' && data !== undefined) {
      return [
        ...closeBlock(),
        ...openBlock('reasoning'),
        writePart({ reasoningContent: { redactedContent: data } }),
        ...closeBlock(),
      ]
    }
    if (type !== 'reasoning.text') return []
    const out = text !== undefined && text !== '' && text !== thought ? writeThought(text) : []
    if (signature === undefined) return out
    return [
      ...out,
      ...openBlock('reasoning'),
      writePart({ reasoningContent: { signature } }),
      ...closeBlock(),
    ]
  }

  function writeThought(text: string): Uint8Array[] {
    const out = openBlock('reasoning')
    thought += text
    return [...out, writePart({ reasoningContent: { text } })]
  }

  function writeCall(call: ToolCallDelta): Uint8Array[] {
    const out: Uint8Array[] = []
    if (open !== call.index) {
      const toolUse = { toolUseId: call.id ?? '', name: call.function?.name ?? '' }
      out.push(...closeBlock())
      open = call.index
      blockIndex += 1
      out.push(write('contentBlockStart', { contentBlockIndex: blockIndex, start: { toolUse } }))
    }
    const input = call.function?.arguments
    if (input) out.push(writePart({ toolUse: { input } }))
    return out
  }

  function openBlock(kind: 'text' | 'reasoning'): Uint8Array[] {
    if (open === kind) return []
    const out = closeBlock()
    open = kind
    blockIndex += 1
    return out
  }

  function closeBlock(): Uint8Array[] {
    if (open === undefined) return []
    open = undefined
    thought = ''
    return [write('contentBlockStop', { contentBlockIndex: blockIndex })]
  }

  function writePart(delta: JsonObject): Uint8Array {
    return write('contentBlockDelta', { contentBlockIndex: blockIndex, delta })
  }
}

function tierOf(extra: JsonObject | undefined): JsonObject | undefined {
  const tier = extra?.['service_tier']
  return typeof tier === 'string' ? { type: tier } : undefined
}

function write(event: string, body: JsonObject): Uint8Array {
  return encodeAwsEventStreamFrame({ event, data: JSON.stringify(body) })
}
