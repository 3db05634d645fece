import { unreachable } from '../../../../src/core/assert.ts'
import type { AnswerEvent, Delta, ToolCallDelta } from '../../../../src/core/answer/event.ts'
import type { FinishReason } from '../../../../src/core/answer/wholeAnswer.ts'
import type { JsonObject } from '../../../../src/core/json.ts'
import type { Step } from '../../../../src/core/step.ts'
import type { Usage } from '../../../../src/core/usage.ts'
import { compact } from '../../../../src/wire/read.ts'
import { encodeSseJson } from '../../../../src/wire/sse.ts'
import type { Envelope } from '../../../../src/wire/wire.ts'
import { encodeCitation } from './citations.ts'
import { encodeFinishReason } from './finishReason.ts'
import { encodeLogprobs } from './logprobs.ts'
import { encodeUsage } from './usage.ts'

/** Writes the first choice as Cohere's typed events. `message-end` waits for the end, because it holds the usage. */
export function encodeStream(envelope: Envelope): Step<AnswerEvent, string> {
  /** What is open: a content block, or the call of this ordinal. */
  let open: 'text' | 'thinking' | number | undefined
  let contentCount = 0
  let citationCount = 0
  let text = ''
  let started = false
  let failed = false
  let reason: FinishReason | undefined
  let usage: Usage | undefined

  return {
    push(event) {
      if (failed) return []
      switch (event.type) {
        case 'start':
          return begin()
        case 'delta':
          return event.index === 0
            ? [...begin(), ...writeDelta(event.delta, encodeLogprobs(event.logprobs))]
            : []
        case 'finish':
          if (event.index === 0) reason = event.reason
          return []
        case 'usage':
          usage = event.usage
          return []
        case 'error':
          failed = true
          return [
            ...close(),
            write('message-end', { delta: { finish_reason: 'ERROR', error: 'The provider failed.' } }),
          ]
        default:
          return unreachable(event)
      }
    },
    end() {
      if (failed || reason === undefined) return []
      const delta = compact({
        finish_reason: encodeFinishReason(reason),
        usage: usage === undefined ? undefined : encodeUsage(usage),
      })
      return [...begin(), ...close(), write('message-end', { id: envelope.id, delta })]
    },
  }

  function begin(): string[] {
    if (started) return []
    started = true
    return [
      write('message-start', {
        id: envelope.id,
        delta: { message: { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] } },
      }),
    ]
  }

  function writeDelta(delta: Delta, logprobs: readonly JsonObject[]): string[] {
    const out: string[] = []
    if (delta.reasoning_content) out.push(...writeContent('thinking', delta.reasoning_content, undefined))
    const said = delta.content || delta.refusal
    if (said || logprobs.length > 0) out.push(...writeContent('text', said ?? '', logprobs[0]))
    for (const annotation of delta.annotations ?? []) {
      const citations = encodeCitation(annotation, text)
      if (citations === undefined) continue
      const index = citationCount++
      out.push(
        write('citation-start', { index, delta: { message: { citations } } }),
        write('citation-end', { index }),
      )
    }
    for (const call of delta.tool_calls ?? []) out.push(...writeCall(call))
    return out
  }

  function writeContent(kind: 'text' | 'thinking', part: string, logprobs: JsonObject | undefined): string[] {
    const out: string[] = []
    if (kind === 'text') text += part
    if (open !== kind) {
      out.push(...close())
      open = kind
      const content = { type: kind, [kind]: '' }
      out.push(write('content-start', { index: contentCount, delta: { message: { content } } }))
    }
    const delta = { message: { content: { [kind]: part } } }
    out.push(write('content-delta', compact({ index: contentCount, delta, logprobs })))
    return out
  }

  function writeCall(call: ToolCallDelta): string[] {
    const { index } = call
    const out: string[] = []
    const text = call.function?.arguments ?? ''
    if (open !== index) {
      out.push(...close())
      open = index
      const toolCalls = {
        id: call.id ?? '',
        type: 'function',
        function: { name: call.function?.name ?? '', arguments: '' },
      }
      out.push(write('tool-call-start', { index, delta: { message: { tool_calls: toolCalls } } }))
    }
    if (text !== '') {
      const toolCalls = { function: { arguments: text } }
      out.push(write('tool-call-delta', { index, delta: { message: { tool_calls: toolCalls } } }))
    }
    return out
  }

  function close(): string[] {
    if (open === undefined) return []
    const closed = open
    open = undefined
    return [
      typeof closed === 'number'
        ? write('tool-call-end', { index: closed })
        : write('content-end', { index: contentCount++ }),
    ]
  }
}

function write(type: string, body: JsonObject): string {
  return encodeSseJson({ type, ...body }, type)
}
