import { isJsonObject, parseJson, type Json } from '../core/json.ts'
import { seedOf } from './speech.ts'

/** What the demo provider reads of a chat completion request. */
export interface DemoRequest {
  readonly model: string
  readonly stream: boolean
  readonly includeUsage: boolean
  readonly n: number
  readonly maxTokens: number | undefined
  readonly stop: readonly string[]
  readonly seed: number
  /** All text of the prompt, as one text to count. */
  readonly prompt: string
  readonly messages: number
}

const CHOICES_MAX = 128

/** Undefined when the body is not a chat completion request. */
export function readDemoRequest(body: string): DemoRequest | undefined {
  const json = parseJson(body)
  if (!isJsonObject(json) || !isList(json.messages) || json.messages.length === 0) return undefined
  const { messages, n, stop, stream_options: options } = json
  const limit = json.max_completion_tokens ?? json.max_tokens
  return {
    model: typeof json.model === 'string' ? json.model : '',
    stream: json.stream === true,
    includeUsage: isJsonObject(options) && options.include_usage === true,
    n: typeof n === 'number' ? Math.min(Math.max(1, Math.floor(n)), CHOICES_MAX) : 1,
    maxTokens: typeof limit === 'number' ? Math.max(1, Math.floor(limit)) : undefined,
    stop: (isList(stop) ? stop : [stop]).filter(
      (entry) => typeof entry === 'string' && entry !== '',
    ) as string[],
    seed: seedOf(JSON.stringify([messages, json.seed ?? null])),
    prompt: messages.map(textOf).join('\n'),
    messages: messages.length,
  }
}

function textOf(message: Json): string {
  if (!isJsonObject(message)) return ''
  const { content } = message
  if (typeof content === 'string') return content
  if (!isList(content)) return ''
  return content
    .map((part) => (isJsonObject(part) && typeof part.text === 'string' ? part.text : ''))
    .join('\n')
}

function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value)
}
