import type { AnswerEvent, Delta } from '../core/answer/event.ts'
import { reportAfter } from '../core/answer/reportAfter.ts'
import type { ReasoningDetail, ToolCall } from '../core/chat/request.ts'
import type { AssistantMessage, WholeAnswer, Choice } from '../core/answer/wholeAnswer.ts'
import { UpstreamError } from '../core/failure.ts'
import { type JsonObject, isJsonObject } from '../core/json.ts'
import type { ReportedUsage } from '../core/usage.ts'
import { type ChoiceDraft, addDelta, addLogprobs } from './choiceDraft.ts'
import { invalidAnswer } from './invalidAnswer.ts'

/** Gathers a stream's events into the whole answer that they tell. */
export interface Collector {
  push(event: AnswerEvent): void
  /** The whole answer. Throws `UpstreamError` when the stream failed or was cut. */
  response(): WholeAnswer
}

/** `responseToEvents` undone. */
export function collectEvents(): Collector {
  const drafts: ChoiceDraft[] = []
  let extra: JsonObject = {}
  let usage: ReportedUsage | undefined
  let error: UpstreamError | undefined

  function draftAt(index: number): ChoiceDraft {
    return (drafts[index] ??= {
      message: {},
      toolCalls: [],
      content: undefined,
      logprobs: undefined,
      finishReason: undefined,
      finerReason: undefined,
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
          draft.finerReason = event.finerReason
          if (event.choiceExtra) draft.extra = { ...draft.extra, ...event.choiceExtra }
          if (event.extra) extra = { ...extra, ...event.extra }
          return
        }
        case 'usage':
          usage = reportAfter(usage, event)
          return
        case 'error':
          error ??= new UpstreamError(event.failure)
      }
    },
    response() {
      if (error) throw error
      if (drafts.length === 0) throw invalidAnswer('the stream ended before its choices had finished')
      const choices = Array.from(drafts, (draft, index) => finishedChoice(draft, index))
      // Padding of single chunks against eavesdroppers says nothing about the whole.
      const { obfuscation: _padding, ...rest } = extra
      return { choices, ...(usage && { usage }), extra: rest }
    },
  }
}

/** Tells a whole answer as the events of a stream: per choice reasoning, text, tool calls, finish. */
export function responseToEvents(response: WholeAnswer): AnswerEvent[] {
  const events: AnswerEvent[] = [
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
      ...(choice.finerReason && { finerReason: choice.finerReason }),
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
  // A call's signature comes with its call, as in a stream.
  const callIds = new Set(details === undefined ? [] : calls?.map(({ id }) => id))
  const isOfCall = ({ id }: ReasoningDetail): boolean => id !== undefined && callIds.has(id)
  const signatures = details?.filter(isOfCall) ?? []
  const rest = details?.filter((detail) => !isOfCall(detail))
  const thoughts = signatures.length > 0 && rest?.length === 0 ? undefined : rest
  if (thought !== undefined || thoughts !== undefined) {
    deltas.push({
      ...(thought !== undefined && { reasoning_content: thought }),
      ...(thoughts !== undefined && { reasoning_details: thoughts }),
    })
  }
  const said: Delta = { ...(content !== null && content !== '' && { content }), ...others }
  if (Object.keys(said).length > 0) deltas.push(said)
  if (calls && calls.length > 0) {
    deltas.push({
      ...(signatures.length > 0 && { reasoning_details: signatures }),
      tool_calls: calls.map((call, index) => ({ ...call, index })),
    })
  }
  return deltas
}

function finishedChoice(draft: ChoiceDraft | undefined, index: number): Choice {
  if (!draft?.finishReason) throw invalidAnswer('the stream ended before its choices had finished')
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
    ...(draft.finerReason && { finerReason: draft.finerReason }),
    ...(draft.logprobs !== undefined && { logprobs: draft.logprobs }),
    ...(draft.extra && { extra: draft.extra }),
  }
}
