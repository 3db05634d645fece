import type { AnswerEvent, Delta } from '../../../src/core/answer/event.ts'
import type { FinishReason } from '../../../src/core/answer/wholeAnswer.ts'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import { textOf } from '../callers/compact.ts'

/** https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons */
const REASONS: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  pause_turn: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
}

/** What a caller of Messages reads in a message, by Anthropic's documents and not with the code of `src`. */
export function hearMessage(message: JsonObject): AnswerEvent[] {
  const blocks = message['content'] as readonly JsonObject[]
  let calls = 0
  const deltas = blocks.flatMap((block) =>
    deltasOf(block, block['type'] === 'tool_use' ? calls++ : calls).map((delta): AnswerEvent => ({
      type: 'delta',
      index: 0,
      delta,
    })),
  )
  return [{ type: 'start' }, ...deltas, ...endOf(message, message['usage'] as JsonObject)]
}

/**
 * What a block says.
 *
 * @param ordinal how many calls came before it
 * @param json the input of a call as it was streamed
 */
export function deltasOf(block: JsonObject, ordinal: number, json?: string): Delta[] {
  const { type, text, thinking, signature, data, id, name, input, citations } = block
  switch (type) {
    case 'text': {
      const annotations = ((citations ?? []) as readonly JsonObject[]).map(
        ({ url, title, cited_text: cited }) => ({
          type: 'url_citation',
          url_citation: { url, title, start_index: 0, end_index: textOf(cited).length },
        }),
      )
      return [
        {
          content: textOf(text),
          ...(annotations.length > 0 && { annotations }),
        },
      ]
    }
    case 'thinking': {
      const signed = { type: 'reasoning.text', text: textOf(thinking), signature: secretOf(signature) }
      const details = signature === '' ? {} : { reasoning_details: [signed] }
      return [{ ...(thinking !== '' && { reasoning_content: textOf(thinking) }), ...details }]
    }
    case 'redacted_thinking':
      return [{ reasoning_details: [{ type: 'reasoning.encrypted', data: secretOf(data) }] }]
    case 'tool_use': {
      const called = { name: textOf(name), arguments: json ?? JSON.stringify(input) }
      return [{ tool_calls: [{ index: ordinal, id: textOf(id), type: 'function', function: called }] }]
    }
    default:
      throw new Error(`not a block of Messages: ${JSON.stringify(block)}`)
  }
}

/** A caller sends it back as it is: what is before a colon names the provider whose it is. */
function secretOf(opaque: Json | undefined): string {
  return textOf(opaque).replace(/^[a-z][a-z0-9-]*-v\d+:/, '')
}

/** How a message ends, and what it used. */
export function endOf(said: JsonObject, usage: JsonObject): AnswerEvent[] {
  const { stop_reason: word, stop_details: details } = said
  const reason = REASONS[textOf(word)]
  if (reason === undefined) throw new Error(`not a stop reason of Messages: ${textOf(word)}`)
  const explanation = (details as JsonObject | null)?.['explanation']
  const count = (of: JsonObject, name: string): number => Number(of[name] ?? 0)
  const [read, written] = [
    count(usage, 'cache_read_input_tokens'),
    count(usage, 'cache_creation_input_tokens'),
  ]
  return [
    ...(typeof explanation === 'string'
      ? [{ type: 'delta', index: 0, delta: { refusal: explanation } } as const]
      : []),
    { type: 'finish', index: 0, reason },
    {
      type: 'usage',
      usage: {
        promptTokens: count(usage, 'input_tokens') + read + written,
        cachedTokens: read,
        cacheWriteTokens: written,
        completionTokens: count(usage, 'output_tokens'),
        reasoningTokens: count((usage['output_tokens_details'] ?? {}) as JsonObject, 'thinking_tokens'),
      },
    },
  ]
}
