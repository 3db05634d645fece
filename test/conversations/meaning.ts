import type { ChatRequest, ContentPart, ImagePart, Message, Tool } from '../../src/core/chat/request.ts'
import type { WholeAnswer } from '../../src/core/answer/wholeAnswer.ts'
import { type Json, type JsonObject, isJsonObject, parseJson } from '../../src/core/json.ts'
import { WHOLE_OUTPUT_TOKENS_MAX } from '../../src/pipeline/admit/holdTerms.ts'

/** The model's own output limit: what an absent `max_tokens` means. A longer answer would not be asked whole. */
export const OUTPUT_TOKENS_MAX = WHOLE_OUTPUT_TOKENS_MAX

/** A value that says nothing more than its absence. */
const MEANINGLESS: Readonly<Record<string, Json>> = {
  responseFormat: { type: 'text' },
  topP: 1,
  frequencyPenalty: 0,
  presencePenalty: 0,
  logprobs: false,
  toolChoice: 'auto',
  parallelToolCalls: true,
}

const NO_PARAMETERS: JsonObject = { type: 'object', properties: {} }

/**
 * What a request means, however it is put: who says what in which order, which result answers which call,
 * and every field that is not at its default. Names of the model and the way of delivery are left out.
 */
export function meaningOfRequest(request: ChatRequest): JsonObject {
  const { model: _model, stream: _stream, includeUsage: _usage, messages, ...fields } = request
  const meaning: Record<string, unknown> = {
    ...fields,
    temperature: request.temperature ?? 1,
    maxTokens: request.maxTokens ?? OUTPUT_TOKENS_MAX,
    messages: meaningOfMessages(messages),
    responseFormat: meaningOfFormat(request.responseFormat),
    tools: request.tools?.map((tool) =>
      tool.function ? { ...tool, function: meaningOf(tool.function) } : tool,
    ),
  }
  for (const [name, value] of Object.entries(MEANINGLESS))
    if (Bun.deepEquals(meaning[name], value)) delete meaning[name]
  return asJson(meaning)
}

/** A function without parameters takes none, and one is not strict unless it says so. */
function meaningOf(described: NonNullable<Tool['function']>): object {
  return { parameters: NO_PARAMETERS, ...described, strict: described.strict || undefined }
}

/** A schema is not strict unless it says so. */
function meaningOfFormat(format: ChatRequest['responseFormat']): unknown {
  if (format?.type !== 'json_schema') return format
  const { json_schema: named } = format as Extract<typeof format, { json_schema: object }>
  return { ...format, json_schema: { ...named, strict: named.strict || undefined } }
}

/** What an answer says, however it came. The order of several choices says nothing. */
export function meaningOfAnswer({ choices, usage, extra }: WholeAnswer): JsonObject {
  const ids = callIds()
  return asJson({
    choices: choices
      .toSorted((a, b) => (a.message.content ?? '').localeCompare(b.message.content ?? ''))
      .map(({ index: _index, message, ...choice }) => ({ ...choice, message: spoken(message, ids) })),
    usage,
    extra,
  })
}

function meaningOfMessages(messages: readonly Message[]): Record<string, unknown>[] {
  const ids = callIds()
  const meanings: Record<string, unknown>[] = []
  for (const message of messages) {
    const last = meanings.at(-1)
    switch (message.role) {
      case 'system':
      case 'developer': {
        const text = joinedText(message.content)
        if (last?.['role'] === 'system') last['content'] = `${String(last['content'])}\n\n${String(text)}`
        else meanings.push({ role: 'system', ...nameOf(message), content: text })
        break
      }
      case 'user':
        if (last?.['role'] === 'user' && message.name === undefined)
          last['content'] = [...(last['content'] as unknown[]), ...partsOf(message.content)]
        else meanings.push({ role: 'user', ...nameOf(message), content: partsOf(message.content) })
        break
      case 'assistant':
        meanings.push(spoken(message, ids))
        break
      case 'tool':
      case 'function':
        // The name of the function is that of the call it answers.
        meanings.push({
          role: 'tool',
          answers: ids.of(message.tool_call_id ?? `function ${message.name}`),
          content: joinedText(message.content),
          is_error: message.is_error === true || undefined,
        })
        break
    }
  }
  return meanings
}

/** An assistant's message; calls are numbered, because some formats have ids of their own. */
function spoken(message: Message, ids: CallIds): Record<string, unknown> {
  const {
    content,
    tool_calls: calls = [],
    function_call: legacy,
    reasoning_details: details,
    ...rest
  } = message
  const all = [...calls.map(({ id, function: called }) => ({ id, ...called })), ...legacyCall(legacy)]
  return {
    ...rest,
    content: joinedText(content) || undefined,
    refusal: message.refusal ?? undefined,
    reasoning_details: details?.map((detail) => ({
      ...detail,
      // Whose signature it is, is the gateway's word.
      format: undefined,
      id: detail.id === undefined ? undefined : ids.of(detail.id),
    })),
    tool_calls:
      all.length === 0
        ? undefined
        : all.map((call) => ({
            ...call,
            id: ids.of(call.id),
            // No arguments are none.
            arguments: parseJson(call.arguments || '{}') ?? `no JSON: ${call.arguments}`,
          })),
  }
}

function legacyCall(call: unknown): { id: string; name: string; arguments: string }[] {
  if (!isJsonObject(call)) return []
  const { name, arguments: text } = call
  if (typeof name !== 'string' || typeof text !== 'string') return []
  return [{ id: `function ${name}`, name, arguments: text }]
}

interface CallIds {
  of(id: string): string
}

function callIds(): CallIds {
  const known: string[] = []
  return {
    of(id) {
      if (!known.includes(id)) known.push(id)
      return `call ${known.indexOf(id)}`
    },
  }
}

function nameOf({ name }: Message): { name?: string } {
  return name === undefined ? {} : { name }
}

function partsOf(content: Message['content']): readonly ContentPart[] {
  if (content === undefined || content === null) return []
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(withoutDefaults)
}

/** The detail of an image is `auto` unless it says something else. */
function withoutDefaults(part: ContentPart): ContentPart {
  if (part.type !== 'image_url') return part
  const { image_url: image, ...rest } = part as ImagePart
  const { detail, ...at } = image
  return { ...rest, image_url: detail === undefined || detail === 'auto' ? at : image }
}

/** The text of content that is nothing else; what holds anything else stays as it is. */
function joinedText(content: Message['content']): unknown {
  const parts = partsOf(content)
  return parts.every((part) => part.type === 'text') ? parts.map(({ text }) => text).join('') : parts
}

/** As it would travel: without undefined fields. */
function asJson(value: unknown): JsonObject {
  return JSON.parse(JSON.stringify(value)) as JsonObject
}
