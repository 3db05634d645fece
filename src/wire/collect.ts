import type { ChatEvent, Delta, ToolCallDelta } from '../core/chat/event.ts'
import type { ReasoningDetail, ToolCall } from '../core/chat/request.ts'
import type { AssistantMessage, ChatResponse, Choice, FinishReason } from '../core/chat/response.ts'
import { UpstreamError } from '../core/failure.ts'
import { type Json, type JsonObject, isJsonObject } from '../core/json.ts'
import type { Usage } from '../core/usage.ts'

/** Gathers a stream's events into the whole answer that they tell. */
export interface Collector {
  push(event: ChatEvent): void
  /** The whole answer. Throws `UpstreamError` when the stream failed or was cut. */
  response(): ChatResponse
}

/** A choice that is still being told. */
interface Draft {
  readonly message: Record<string, unknown>
  readonly toolCalls: Record<string, unknown>[]
  content: string | undefined
  logprobs: Record<string, Json | undefined> | undefined
  finishReason: FinishReason | undefined
  extra: JsonObject | undefined
}

/** `responseToEvents` undone. */
export function collectEvents(): Collector {
  const drafts: Draft[] = []
  let extra: JsonObject = {}
  let usage: Usage | undefined
  let error: UpstreamError | undefined

  function draftAt(index: number): Draft {
    return (drafts[index] ??= {
      message: {},
      toolCalls: [],
      content: undefined,
      logprobs: undefined,
      finishReason: undefined,
      extra: undefined,
    })
  }

  return {
    push(event) {
      switch (event.type) {
        case 'start':
          extra = { ...extra, ...event.extra }
          return
        case 'delta': {
          const draft = draftAt(event.index)
          addDelta(draft, event.delta)
          if (event.logprobs) addLogprobs(draft, event.logprobs)
          if (event.choiceExtra) draft.extra = { ...draft.extra, ...event.choiceExtra }
          if (event.extra) extra = { ...extra, ...event.extra }
          return
        }
        case 'finish': {
          const draft = draftAt(event.index)
          draft.finishReason = event.reason
          if (event.choiceExtra) draft.extra = { ...draft.extra, ...event.choiceExtra }
          if (event.extra) extra = { ...extra, ...event.extra }
          return
        }
        case 'usage':
          usage = event.usage
          return
        case 'error':
          error ??= new UpstreamError(event.failure)
      }
    },
    response() {
      if (error) throw error
      if (drafts.length === 0) throw cut()
      const choices = Array.from(drafts, (draft, index) => finishedChoice(draft, index))
      // Padding of single chunks against eavesdroppers says nothing about the whole.
      const { obfuscation: _padding, ...rest } = extra
      return { choices, ...(usage && { usage }), extra: rest }
    },
  }
}

/** Tells a whole answer as the events of a stream: per choice reasoning, text, tool calls, finish. */
export function responseToEvents(response: ChatResponse): ChatEvent[] {
  const events: ChatEvent[] = [
    Object.keys(response.extra).length > 0 ? { type: 'start', extra: response.extra } : { type: 'start' },
  ]
  for (const choice of response.choices) {
    const { index, logprobs } = choice
    for (const delta of deltasOf(choice.message)) events.push({ type: 'delta', index, delta })
    if (logprobs) events.push({ type: 'delta', index, delta: {}, logprobs })
    events.push({
      type: 'finish',
      index,
      reason: choice.finishReason,
      ...(choice.extra && { choiceExtra: choice.extra }),
    })
  }
  if (response.usage) events.push({ type: 'usage', usage: response.usage })
  return events
}

function deltasOf(message: AssistantMessage): Delta[] {
  const {
    role: _role,
    content,
    tool_calls: calls,
    reasoning_content: thought,
    reasoning_details: details,
    ...others
  } = message
  const deltas: Delta[] = []
  if (thought !== undefined || details !== undefined) {
    deltas.push({
      ...(thought !== undefined && { reasoning_content: thought }),
      ...(details !== undefined && { reasoning_details: details }),
    })
  }
  const said: Delta = { ...(content !== null && content !== '' && { content }), ...others }
  if (Object.keys(said).length > 0) deltas.push(said)
  if (calls && calls.length > 0) {
    deltas.push({ tool_calls: calls.map((call, index) => ({ ...call, index })) })
  }
  return deltas
}

function addDelta(draft: Draft, delta: Delta): void {
  for (const name in delta) {
    const value = delta[name]
    if (value === undefined) continue
    switch (name) {
      case 'content':
        if (typeof value === 'string') draft.content = (draft.content ?? '') + value
        break
      case 'refusal':
      case 'reasoning_content':
        draft.message[name] = joinText(draft.message[name], value)
        break
      case 'tool_calls':
        for (const call of delta.tool_calls ?? []) addToolCall(draft.toolCalls, call)
        break
      case 'function_call':
        draft.message[name] = joinCall(draft.message[name], value)
        break
      case 'reasoning_details':
        draft.message[name] = joinDetails(draft.message[name], listOf(value) as ReasoningDetail[])
        break
      case 'annotations':
        if (Array.isArray(value)) draft.message[name] = [...listOf(draft.message[name]), ...listOf(value)]
        break
      case 'audio':
        draft.message[name] = joinAudio(draft.message[name], value)
        break
      case '__proto__':
        break
      default:
        draft.message[name] = value
    }
  }
}

/** Null says that there is none, until text says otherwise. */
function joinText(before: unknown, more: unknown): unknown {
  return typeof before === 'string' && typeof more === 'string' ? before + more : (more ?? before ?? null)
}

function addToolCall(calls: Record<string, unknown>[], { index, ...fragment }: ToolCallDelta): void {
  const call = (calls[index] ??= {})
  const { function: inner, ...rest } = fragment
  for (const [name, value] of Object.entries(rest)) if (value !== undefined) call[name] = value
  if (inner !== undefined) call.function = joinCall(call.function, inner)
}

/** A function's name comes once, its arguments in pieces. */
function joinCall(before: unknown, more: unknown): unknown {
  if (!isJsonObject(more)) return before ?? more
  const known = isJsonObject(before) ? before : {}
  const pieces = [known.arguments, more.arguments].filter((piece) => typeof piece === 'string')
  return { ...known, ...more, ...(pieces.length > 0 && { arguments: pieces.join('') }) }
}

/** Pieces of one reasoning block come one after the other; its signature closes it. */
function joinDetails(before: unknown, more: readonly ReasoningDetail[]): ReasoningDetail[] {
  const details = listOf(before) as ReasoningDetail[]
  const joined = [...details]
  for (const detail of more) {
    const last = joined.at(-1)
    if (last && isSameBlock(last, detail)) {
      joined[joined.length - 1] = { ...last, ...detail, text: `${last.text ?? ''}${detail.text ?? ''}` }
    } else {
      joined.push(detail)
    }
  }
  return joined
}

function isSameBlock(last: ReasoningDetail, next: ReasoningDetail): boolean {
  return (
    last.type === 'reasoning.text' &&
    next.type === 'reasoning.text' &&
    last.signature === undefined &&
    last.index === next.index &&
    last.id === next.id
  )
}

function joinAudio(before: unknown, more: unknown): unknown {
  if (!isJsonObject(more)) return before ?? more
  const known = isJsonObject(before) ? before : {}
  const joined: Record<string, Json | undefined> = { ...known, ...more }
  for (const part of ['data', 'transcript']) {
    const pieces = [known[part], more[part]].filter((piece) => typeof piece === 'string')
    if (pieces.length > 0) joined[part] = pieces.join('')
  }
  return joined
}

/** Lists grow in place: a long answer has one entry per token. */
function addLogprobs(draft: Draft, more: JsonObject | null): void {
  if (more === null) return
  draft.logprobs ??= {}
  for (const [part, value] of Object.entries(more)) {
    const known = draft.logprobs[part]
    if (!Array.isArray(value)) draft.logprobs[part] = known ?? value
    else if (Array.isArray(known)) for (const entry of value) known.push(entry)
    else draft.logprobs[part] = [...(value as readonly Json[])]
  }
}

function finishedChoice(draft: Draft | undefined, index: number): Choice {
  if (!draft?.finishReason) throw cut()
  const calls = draft.toolCalls.filter((call) => call !== undefined)
  const { message, content } = draft
  const silent =
    calls.length > 0 ||
    isJsonObject(message.function_call) ||
    isJsonObject(message.audio) ||
    typeof message.refusal === 'string'
  return {
    index,
    message: {
      role: 'assistant',
      content: content || (silent ? null : ''),
      ...message,
      ...(calls.length > 0 && { tool_calls: calls as unknown as ToolCall[] }),
    },
    finishReason: draft.finishReason,
    ...(draft.logprobs !== undefined && { logprobs: draft.logprobs }),
    ...(draft.extra && { extra: draft.extra }),
  }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : []
}

function cut(): UpstreamError {
  return new UpstreamError({
    kind: 'invalid_answer',
    detail: 'the stream ended before its choices had finished',
  })
}
