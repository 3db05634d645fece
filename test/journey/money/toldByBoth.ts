import type { JsonObject } from '../../../src/core/json.ts'
import {
  MESSAGE_STOP,
  anthropicEvent,
  anthropicMessage,
  blockDelta,
  blockStart,
  blockStop,
  messageDelta,
  messageStart,
} from '../../support/scriptedAnthropic.ts'
import {
  type Act,
  type Frame,
  type Script,
  openaiChunk,
  openaiCompletion,
  openaiError,
  openaiUsage,
  respond,
  sse,
  stream,
} from '../../support/scriptedProvider.ts'

/** An answer of a provider, whichever format it speaks. */
export interface Told {
  readonly texts: readonly string[]
  readonly thought?: string
  readonly finish: 'stop' | 'length' | 'content_filter' | 'malformed_function_call'
  /** Undefined: none is reported. */
  readonly usage?: Reported | undefined
  /** What it does behind its texts in place of an end; a whole answer is then an error of the provider. */
  readonly breaks?: 'error' | Act
}

export interface Reported {
  readonly prompt: number
  readonly cached?: number
  readonly written?: number
  readonly completion: number
  readonly thoughts?: number
}

/** Formats in which the providers of this table answer: translated for callers of Messages, and their own. */
export const TOLD_IN = { 'openai-chat': inOpenai, 'anthropic-messages': inAnthropic } as const

/** The balance then cuts an answer at the same text each time. */
const AT_ONE_TIME = { coalesce: true }

const OVERLOADED = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } as const

function inOpenai(told: Told): Script {
  const usage = told.usage && openaiUsageOf(told.usage)
  return ({ body }) => {
    if (!isStreamed(body)) {
      if (told.breaks === 'error') return openaiError(500)
      if (told.breaks) return told.breaks
      const whole = openaiCompletion(told.texts.join(''), { finishReason: told.finish, usage: usage ?? null })
      return respond({ body: whole })
    }
    const said: Frame[] = [
      openaiChunk({ role: 'assistant', content: '' }),
      ...(told.thought === undefined ? [] : [openaiChunk({ reasoning_content: told.thought })]),
      ...told.texts.map((content) => openaiChunk({ content })),
    ]
    if (told.breaks === 'error')
      return stream([...said, sse({ error: { message: 'Oh.', type: 'server_error' } })])
    if (told.breaks) return stream([...said, told.breaks])
    // Some send the report beside the reason: it is then known although the reason is a failure.
    const end = openaiChunk({}, { finishReason: told.finish, ...(usage && { more: { usage } }) })
    return stream([...said, end, '[DONE]'], AT_ONE_TIME)
  }
}

function inAnthropic(told: Told): Script {
  const usage = told.usage && anthropicUsageOf(told.usage)
  const reason = REASONS[told.finish]
  return ({ body }) => {
    if (!isStreamed(body)) {
      if (told.breaks === 'error') return respond({ status: 529, body: OVERLOADED })
      if (told.breaks) return told.breaks
      const content = [{ type: 'text', text: told.texts.join('') }]
      return respond({
        body: anthropicMessage(content, { stop_reason: reason, usage: usage ?? NOTHING_COUNTED }),
      })
    }
    const said: Frame[] = [
      messageStart({ usage: usage ? { ...usage, output_tokens: 1 } : NOTHING_COUNTED }),
      ...(told.thought === undefined ? [] : thinking(told.thought)),
      blockStart(1, { type: 'text', text: '' }),
      ...told.texts.map((text) => blockDelta(1, { type: 'text_delta', text })),
    ]
    if (told.breaks === 'error') return stream([...said, anthropicEvent(OVERLOADED)])
    if (told.breaks) return stream([...said, told.breaks])
    return stream(
      [...said, blockStop(1), messageDelta(reason, usage ?? NOTHING_COUNTED), MESSAGE_STOP],
      AT_ONE_TIME,
    )
  }
}

/** The format requires a report: servers that count nothing send this. */
const NOTHING_COUNTED = { input_tokens: 0, output_tokens: 0 }

const REASONS = {
  stop: 'end_turn',
  length: 'max_tokens',
  content_filter: 'refusal',
  malformed_function_call: 'malformed_function_call',
} as const

function thinking(thought: string): Frame[] {
  return [
    blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
    blockDelta(0, { type: 'thinking_delta', thinking: thought }),
    blockStop(0),
  ]
}

function openaiUsageOf({ prompt, cached = 0, written = 0, completion, thoughts = 0 }: Reported) {
  return openaiUsage(prompt, completion, {
    prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
    completion_tokens_details: { reasoning_tokens: thoughts },
  })
}

function anthropicUsageOf({
  prompt,
  cached = 0,
  written = 0,
  completion,
  thoughts = 0,
}: Reported): JsonObject {
  return {
    input_tokens: prompt - cached - written,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: written,
    output_tokens: completion,
    output_tokens_details: { thinking_tokens: thoughts },
  }
}

function isStreamed(body: unknown): boolean {
  return (body as { readonly stream?: boolean }).stream === true
}
