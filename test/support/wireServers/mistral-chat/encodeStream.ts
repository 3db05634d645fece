import { unreachable } from '../../../../src/core/assert.ts'
import type { AnswerEvent, Delta } from '../../../../src/core/answer/event.ts'
import type { FinishReason } from '../../../../src/core/answer/wholeAnswer.ts'
import type { JsonObject } from '../../../../src/core/json.ts'
import type { Step } from '../../../../src/core/step.ts'
import type { Usage } from '../../../../src/core/usage.ts'
import { withThinking } from '../../../../src/wire/chunkedContent.ts'
import { compact } from '../../../../src/wire/read.ts'
import { encodeSseData, encodeSseJson } from '../../../../src/wire/sse.ts'
import type { Envelope } from '../../../../src/wire/wire.ts'
import { thinkingChunk } from './content.ts'
import { encodeFinishReason } from './finishReason.ts'
import { encodeUsage } from './usage.ts'
import { errorBody } from './encodeError.ts'

/** Writes a streamed answer. Finishes wait for the end, because usage is in the chunk of the last one. */
export function encodeStream(envelope: Envelope): Step<AnswerEvent, string> {
  const finishes: { index: number; reason: FinishReason }[] = []
  /** Choices whose first chunk, with the role, is out. */
  const begun = new Set<number>()
  /** Reasoning of a choice that is out already; the block that signs it need not repeat it. */
  const unsigned = new Map<number, string>()
  let usage: Usage | undefined
  let failed = false

  return {
    push(event) {
      if (failed) return []
      switch (event.type) {
        case 'start':
          return []
        case 'delta':
          return [chunk([{ index: event.index, delta: encodeDelta(event), finish_reason: null }])]
        case 'finish':
          finishes.push({ index: event.index, reason: event.reason })
          return []
        case 'usage':
          usage = event.usage
          return []
        case 'error':
          failed = true
          return [encodeSseJson(errorBody('The provider failed.', 'upstream_error'))]
        default:
          return unreachable(event)
      }
    },
    end() {
      if (failed) return []
      const chunks = finishes.map(({ index, reason }, position) =>
        chunk(
          [{ index, delta: { content: '' }, finish_reason: encodeFinishReason(reason) }],
          position === finishes.length - 1 ? usage : undefined,
        ),
      )
      return [...chunks, encodeSseData('[DONE]')]
    },
  }

  function chunk(choices: readonly JsonObject[], usage?: Usage): string {
    const body = compact({
      id: envelope.id,
      object: 'chat.completion.chunk',
      created: envelope.created,
      model: envelope.model,
      choices,
      usage: usage === undefined ? undefined : encodeUsage(usage),
    })
    return encodeSseJson(body)
  }

  function encodeDelta({ index, delta }: { index: number; delta: Delta }): JsonObject {
    const role = begun.has(index) ? undefined : 'assistant'
    begun.add(index)
    const thinking = encodeThinkingDelta(index, delta)
    const text = delta.content || (delta.refusal ?? '')
    return compact({
      role,
      content: withThinking(thinking, text),
      tool_calls: delta.tool_calls?.map((call) =>
        compact({
          index: call.index,
          id: call.id,
          type: call.type,
          function: { name: call.function?.name ?? '', arguments: call.function?.arguments ?? '' },
        }),
      ),
    })
  }

  function encodeThinkingDelta(index: number, delta: Delta): JsonObject[] {
    const chunks: JsonObject[] = []
    const details = (delta.reasoning_details ?? []).filter((detail) => detail.type === 'reasoning.text')
    const told = details.map((detail) => detail.text ?? '').join('')
    const thought = delta.reasoning_content ?? ''
    let out = unsigned.get(index) ?? ''
    // What the details say too is written once, block by block.
    if (thought !== '' && thought !== told) {
      chunks.push(thinkingChunk(thought, undefined))
      out += thought
    }
    for (const { text = '', signature } of details) {
      // The text of a signed block may repeat what is out already.
      if (text !== out || signature !== undefined)
        chunks.push(thinkingChunk(text === out ? '' : text, signature))
      out = signature === undefined ? out + text : ''
    }
    unsigned.set(index, out)
    return chunks
  }
}
