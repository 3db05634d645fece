import type { ChatEvent } from '../core/chat/event.ts'
import type { ChatResponse } from '../core/chat/response.ts'
import { type Json, isJsonObject, parseJson } from '../core/json.ts'
import type { ReportedUsage } from '../core/usage.ts'
import type { Frame } from '../wire/frame.ts'
import type { Route } from './route.ts'

/** Applies the provider's own correction to an answer's JSON, if it has one. */
export function patchJson(json: Json, route: Route): Json {
  const patch = route.provider.provider.quirks.patchAnswer
  return patch && isJsonObject(json) ? patch(json) : json
}

/** The same for one frame of a stream. */
export function patchFrame(frame: Frame, route: Route): Frame {
  const patch = route.provider.provider.quirks.patchAnswer
  if (!patch) return frame
  const json = parseJson(frame.data)
  return isJsonObject(json) ? { event: frame.event, data: JSON.stringify(patch(json)) } : frame
}

/** Brings reported usage to the one convention where the provider's differs from its wire format's. */
export function normaliseResponse(response: ChatResponse, route: Route): ChatResponse {
  if (!response.usage || !route.provider.provider.quirks.reasoningOutsideCompletion) return response
  return { ...response, usage: reasoningInside(response.usage) }
}

/** The same for events. */
export function normaliseEvents(events: ChatEvent[], route: Route): ChatEvent[] {
  if (!route.provider.provider.quirks.reasoningOutsideCompletion) return events
  return events.map((event) =>
    event.type === 'usage' ? { type: 'usage', usage: reasoningInside(event.usage) } : event,
  )
}

function reasoningInside(usage: ReportedUsage): ReportedUsage {
  return { ...usage, completionTokens: usage.completionTokens + usage.reasoningTokens }
}
