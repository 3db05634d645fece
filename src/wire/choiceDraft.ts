import type { Delta, ToolCallDelta } from '../core/answer/event.ts'
import type { ReasoningDetail } from '../core/chat/request.ts'
import type { FinerReason, FinishReason } from '../core/answer/wholeAnswer.ts'
import { type Json, type JsonObject, isJsonObject } from '../core/json.ts'

/** A choice that is still being told. */
export interface ChoiceDraft {
  readonly message: Record<string, unknown>
  readonly toolCalls: Record<string, unknown>[]
  content: string | undefined
  logprobs: Record<string, Json | undefined> | undefined
  finishReason: FinishReason | undefined
  finerReason: FinerReason | undefined
  extra: JsonObject | undefined
}

/** Adds an increment to the message; what nobody models holds its last value. */
export function addDelta(draft: ChoiceDraft, delta: Delta): void {
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
        draft.message[name] = joinCall(draft.message[name], value, LEGACY_GROWS)
        break
      case 'reasoning_details':
        draft.message[name] = joinDetails(draft.message[name], listOf(value) as ReasoningDetail[])
        break
      case 'annotations':
      case 'images':
        if (Array.isArray(value)) draft.message[name] = [...listOf(draft.message[name]), ...listOf(value)]
        break
      case 'audio':
        draft.message[name] = joinAudio(draft.message[name], value)
        break
      // Groq and Together say so of a piece: whether it is reasoning, and what its last token is. It is nothing of the whole.
      case 'channel':
      case 'token_id':
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
  for (const [name, value] of Object.entries(fragment)) {
    if (name === 'function') call[name] = joinCall(call[name], value, FUNCTION_GROWS)
    else if (name === 'custom') call[name] = joinCall(call[name], value, CUSTOM_GROWS)
    else addSaid(call, name, value)
  }
}

/** What of a call comes in pieces. */
const FUNCTION_GROWS: ReadonlySet<string> = new Set(['name', 'arguments'])
const CUSTOM_GROWS: ReadonlySet<string> = new Set(['input'])
const LEGACY_GROWS: ReadonlySet<string> = new Set(['arguments'])

function joinCall(before: unknown, more: unknown, growing: ReadonlySet<string>): unknown {
  if (!isJsonObject(more)) return before ?? more
  const joined: Record<string, unknown> = isJsonObject(before) ? { ...before } : {}
  for (const [name, value] of Object.entries(more)) {
    const known = joined[name]
    if (growing.has(name) && typeof known === 'string' && typeof value === 'string')
      joined[name] = known + value
    else addSaid(joined, name, value)
  }
  return joined
}

/** An empty word takes nothing back. */
function addSaid(into: Record<string, unknown>, name: string, value: unknown): void {
  const isEmpty = value === undefined || value === null || value === ''
  if (!isEmpty || into[name] === undefined) into[name] = value
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
    !last.signature &&
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
export function addLogprobs(draft: ChoiceDraft, more: JsonObject | null): void {
  if (more === null) return
  draft.logprobs ??= {}
  for (const [part, value] of Object.entries(more)) {
    const known = draft.logprobs[part]
    if (!Array.isArray(value)) draft.logprobs[part] = known ?? value
    else if (Array.isArray(known)) for (const entry of value) known.push(entry)
    else draft.logprobs[part] = [...(value as readonly Json[])]
  }
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : []
}
