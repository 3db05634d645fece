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
import { type Frame, type Script, respond, stream } from '../../support/scriptedProvider.ts'
import { AT_ONE_TIME, type Reported, type Told, isStreamed } from './told.ts'

const OVERLOADED = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } as const

export function toldInAnthropic(told: Told): Script {
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
