import type { ChatEvent, Delta } from '../../core/chat/event.ts'
import type { AssistantMessage, ChatResponse, FinishReason } from '../../core/chat/response.ts'
import { unreachable } from '../../core/assert.ts'
import { ERRORS, type Refusal } from '../../core/error.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Step } from '../../core/step.ts'
import type { Usage } from '../../core/usage.ts'
import { compact } from '../read.ts'
import { encodeSseData } from '../sse.ts'
import type { Envelope } from '../wire.ts'

/** Writes a whole answer in Mistral's format. */
export function encodeResponse(response: ChatResponse, envelope: Envelope): JsonObject {
  return compact({
    id: envelope.id,
    object: 'chat.completion',
    created: envelope.created,
    model: envelope.model,
    choices: response.choices.map((choice) => ({
      index: choice.index,
      message: encodeMessage(choice.message),
      finish_reason: encodeFinishReason(choice.finishReason),
    })),
    usage: response.usage === undefined ? undefined : encodeUsage(response.usage),
  })
}

/** Writes a streamed answer. Finishes wait for the end, because usage is in the chunk of the last one. */
export function encodeStream(envelope: Envelope): Step<ChatEvent, string> {
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
          return [encodeSseData(JSON.stringify(errorOf('The provider failed.', 'upstream_error')))]
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
    return encodeSseData(JSON.stringify(body))
  }

  function encodeDelta({ index, delta }: { index: number; delta: Delta }): JsonObject {
    const role = begun.has(index) ? undefined : 'assistant'
    begun.add(index)
    const thinking = encodeThinkingDelta(index, delta)
    const text = delta.content || (delta.refusal ?? '')
    return compact({
      role,
      content: thinking.length === 0 ? text : [...thinking, ...(text === '' ? [] : [{ type: 'text', text }])],
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

/** Mistral's own error body. */
export function encodeError(refusal: Refusal): JsonObject {
  return { ...errorOf(refusal.message, ERRORS[refusal.code].type), param: refusal.param, code: refusal.code }
}

function errorOf(message: string, type: string): JsonObject {
  return { object: 'error', message, type, param: null, code: null }
}

function encodeMessage(message: AssistantMessage): JsonObject {
  const signed = (message.reasoning_details ?? []).filter((detail) => detail.type === 'reasoning.text')
  const thinking =
    signed.length > 0
      ? signed.map((detail) => thinkingChunk(detail.text ?? '', detail.signature))
      : message.reasoning_content
        ? [thinkingChunk(message.reasoning_content, undefined)]
        : []
  // A refusal has no place of its own.
  const text = message.content || (message.refusal ?? '')
  const content: Json =
    thinking.length === 0 ? text : [...thinking, ...(text === '' ? [] : [{ type: 'text', text }])]
  return compact({
    role: 'assistant',
    content,
    tool_calls: message.tool_calls?.map((call, index) => ({
      index,
      id: call.id,
      type: 'function',
      function: { name: call.function.name, arguments: call.function.arguments },
    })),
  })
}

function thinkingChunk(text: string, signature: string | undefined): JsonObject {
  return compact({ type: 'thinking', thinking: text === '' ? [] : [{ type: 'text', text }], signature })
}

function encodeFinishReason(reason: FinishReason): string {
  return reason === 'function_call' ? 'tool_calls' : reason
}

function encodeUsage(usage: Usage): JsonObject {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  }
}
