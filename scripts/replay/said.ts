import { isJsonObject, type Json, type JsonObject, parseJson } from '../../src/core/json.ts'
import type { CallerFormatId } from './formats.ts'
import type { RecordedAnswer } from './recordedCall.ts'

/**
 * What an answer says, however it came. It is read without the gateway's codecs, which are what is tried: by the documents
 * of the vendors alone.
 */
export interface Said {
  readonly choices: readonly SaidChoice[]
  /** Undefined: it reports none. */
  readonly usage: { readonly prompt: number; readonly completion: number } | undefined
}

export interface SaidChoice {
  readonly text: string
  readonly thought: string
  readonly refusal: string
  readonly calls: readonly { readonly name: string; readonly args: Json }[]
  /** In the words of chat completions. */
  readonly finish: string
}

/** An answer that is none: an error, whole or in a stream. */
export interface Failed {
  readonly failed: string
}

/** What a recorded answer says. */
export function saidBy(format: CallerFormatId, answer: RecordedAnswer): Said | Failed {
  const pieces =
    answer.kind === 'whole'
      ? [answer.body]
      : answer.events.flatMap((event) => ('data' in event ? [event.data] : []))
  return saidIn(format, pieces)
}

/** What bodies and events of a format say, in order. */
export function saidIn(format: CallerFormatId, pieces: readonly Json[]): Said | Failed {
  switch (format) {
    case 'openai-chat':
      return saidInChat(pieces)
    case 'anthropic-messages':
      return saidInMessages(pieces)
    case 'openai-responses':
      return saidInResponse(pieces)
  }
}

interface Draft {
  text: string
  thought: string
  refusal: string
  readonly calls: Map<number, { name: string; args: string; parsed?: Json }>
  finish: string
}

function draftAt(drafts: Map<number, Draft>, index: number): Draft {
  const draft = drafts.get(index) ?? { text: '', thought: '', refusal: '', calls: new Map(), finish: '' }
  drafts.set(index, draft)
  return draft
}

/** Bodies and chunks of https://platform.openai.com/docs/api-reference/chat, in order. */
function saidInChat(pieces: readonly Json[]): Said | Failed {
  const drafts = new Map<number, Draft>()
  let usage: Said['usage']
  for (const piece of pieces) {
    if (!isJsonObject(piece)) continue
    if (piece['error'] !== undefined && piece['error'] !== null)
      return { failed: wordOf(piece['error'], 'error') }
    const report = piece['usage']
    if (isJsonObject(report))
      usage = { prompt: numberOf(report['prompt_tokens']), completion: numberOf(report['completion_tokens']) }
    for (const choice of objectsOf(piece['choices']))
      addChatChoice(draftAt(drafts, numberOf(choice['index'])), choice)
  }
  return drafts.size === 0 ? { failed: 'no choice' } : finished(drafts, usage)
}

function addChatChoice(draft: Draft, choice: JsonObject): void {
  const message = choice['delta'] ?? choice['message']
  if (isJsonObject(message)) {
    draft.text += textOf(message['content'])
    draft.thought += textOf(message['reasoning_content'] ?? message['reasoning'])
    draft.refusal += textOf(message['refusal'])
    for (const [at, call] of objectsOf(message['tool_calls']).entries()) {
      const index = typeof call['index'] === 'number' ? call['index'] : at
      const body = call['function'] ?? call['custom']
      const called = isJsonObject(body) ? body : {}
      const known = draft.calls.get(index) ?? { name: '', args: '' }
      known.name ||= textOf(called['name'])
      known.args += textOf(called['arguments'] ?? called['input'])
      draft.calls.set(index, known)
    }
  }
  draft.finish = textOf(choice['finish_reason']) || draft.finish
}

/** Anthropic's words for an end, in those of chat completions: https://docs.claude.com/en/api/messages. */
const ENDS: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  pause_turn: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
}

/** A message, or the events of one, in order. */
function saidInMessages(pieces: readonly Json[]): Said | Failed {
  const drafts = new Map<number, Draft>()
  const draft = draftAt(drafts, 0)
  let report: JsonObject = {}
  let stop = ''
  for (const piece of pieces) {
    if (!isJsonObject(piece)) continue
    if (piece['type'] === 'error') return { failed: wordOf(piece['error'], 'error') }
    const message = piece['type'] === 'message_start' ? piece['message'] : piece
    for (const [index, block] of objectsOf(isJsonObject(message) ? message['content'] : undefined).entries())
      addBlock(draft, index, block)
    if (isJsonObject(piece['content_block']))
      addBlock(draft, numberOf(piece['index']), piece['content_block'])
    const delta = isJsonObject(piece['delta']) ? piece['delta'] : {}
    if (piece['type'] === 'content_block_delta') addDelta(draft, numberOf(piece['index']), delta)
    const usage = isJsonObject(message) && isJsonObject(message['usage']) ? message['usage'] : {}
    report = { ...report, ...usage }
    draft.refusal += refusalIn(delta) + refusalIn(piece)
    stop = textOf(delta['stop_reason'] ?? (isJsonObject(message) ? message['stop_reason'] : '')) || stop
  }
  draft.finish = ENDS[stop] ?? stop
  const prompt = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens']
  const counted = prompt.map((name) => numberOf(report[name])).reduce((a, b) => a + b)
  return finished(drafts, { prompt: counted, completion: numberOf(report['output_tokens']) })
}

/** Why a message was refused. */
function refusalIn({ stop_details: details }: JsonObject): string {
  return isJsonObject(details) ? textOf(details['explanation']) : ''
}

function addBlock(draft: Draft, index: number, block: JsonObject): void {
  draft.text += block['type'] === 'text' ? textOf(block['text']) : ''
  draft.thought += block['type'] === 'thinking' ? textOf(block['thinking']) : ''
  if (block['type'] === 'tool_use')
    draft.calls.set(index, { name: textOf(block['name']), args: '', parsed: block['input'] ?? {} })
}

function addDelta(draft: Draft, index: number, delta: JsonObject): void {
  draft.text += textOf(delta['text'])
  draft.thought += textOf(delta['thinking'])
  const call = draft.calls.get(index)
  if (call) call.args += textOf(delta['partial_json'])
}

/** A response, or the events of one, in order: the last has all of it, or its items have come before (https://platform.openai.com/docs/api-reference/responses). */
function saidInResponse(pieces: readonly Json[]): Said | Failed {
  const last = pieces.filter(isJsonObject).at(-1) ?? {}
  const { response: within } = last
  const response = isJsonObject(within) ? within : last
  const error = response['error'] ?? (last['type'] === 'error' ? last : null)
  if (error !== null && error !== undefined) return { failed: wordOf(error, 'error') }
  const drafts = new Map<number, Draft>()
  const draft = draftAt(drafts, 0)
  const done = pieces.filter(isJsonObject).filter(({ type }) => type === 'response.output_item.done')
  const listed = objectsOf(response['output'])
  const items = listed.length > 0 ? listed : objectsOf(done.map(({ item }) => item ?? null))
  for (const [index, item] of items.entries()) addItem(draft, index, item)
  const details = response['incomplete_details']
  const reason = isJsonObject(details) ? textOf(details['reason']) : ''
  const whole = draft.calls.size > 0 ? 'tool_calls' : 'stop'
  draft.finish = response['status'] === 'incomplete' ? (REASONS[reason] ?? reason) : whole
  const { usage } = response
  const counts = isJsonObject(usage) ? usage : {}
  return finished(drafts, {
    prompt: numberOf(counts['input_tokens']),
    completion: numberOf(counts['output_tokens']),
  })
}

/** Why a response is incomplete, in the words of chat completions. */
const REASONS: Readonly<Record<string, string>> = {
  max_output_tokens: 'length',
  content_filter: 'content_filter',
}

function addItem(draft: Draft, index: number, item: JsonObject): void {
  const texts = (list: Json | undefined): string[] => objectsOf(list).map((part) => textOf(part['text']))
  switch (item['type']) {
    case 'message':
      draft.text += texts(item['content']).join('')
      draft.refusal += objectsOf(item['content'])
        .map((part) => textOf(part['refusal']))
        .join('')
      return
    case 'reasoning': {
      const parts = [...texts(item['summary']), ...texts(item['content'])].filter((text) => text !== '')
      draft.thought = [draft.thought, ...parts].filter((text) => text !== '').join('\n\n')
      return
    }
    case 'function_call':
      draft.calls.set(index, { name: textOf(item['name']), args: textOf(item['arguments']) })
      return
    case 'custom_tool_call':
      draft.calls.set(index, { name: textOf(item['name']), args: textOf(item['input']) })
      return
    default:
  }
}

function finished(drafts: ReadonlyMap<number, Draft>, usage: Said['usage']): Said {
  const inOrder = [...drafts].toSorted(([a], [b]) => a - b)
  return {
    usage,
    choices: inOrder.map(([, { text, thought, refusal, calls, finish }]) => ({
      text,
      thought,
      refusal,
      finish,
      calls: [...calls.values()].map(({ name, args, parsed = {} }) => ({
        name,
        // No arguments are none; anything but JSON is compared as text.
        args: args === '' ? parsed : (parseJson(args) ?? args),
      })),
    })),
  }
}

function objectsOf(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? (value as readonly Json[]).filter(isJsonObject) : []
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}

function numberOf(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0
}

function wordOf(error: Json | undefined, otherwise: string): string {
  if (!isJsonObject(error)) return otherwise
  return textOf(error['code']) || textOf(error['type']) || otherwise
}
