import type { RequestTraits } from '../core/traits.ts'
import { hidesReasoning } from '../core/hidesReasoning.ts'
import type { Model, Target } from '../core/model.ts'
import type { ConfiguredProvider } from '../providers/configured.ts'
import type { Provider } from '../providers/provider.ts'
import type { EncodeTarget, WireFormat, WireQuirks } from '../wire/wire.ts'
import type { HttpClient } from './http.ts'

/** One place to send a request to: a model's target with everything needed to call it. */
export interface Route {
  readonly model: Model
  readonly target: Target
  readonly provider: ConfiguredProvider
  readonly format: WireFormat
  /** Those that apply to the format. */
  readonly quirks: WireQuirks
  readonly http: HttpClient
}

/** A provider's quirks are those of its own wire format: they say nothing of another one that it speaks. */
export function quirksIn(format: WireFormat, provider: Provider): WireQuirks {
  return format.id === provider.wire ? provider.quirks : NO_QUIRKS
}

const NO_QUIRKS: WireQuirks = {}

/** What the route's codec must know of the place, for a request. */
export function encodeTargetOf(route: Route, request: RequestTraits): EncodeTarget {
  return {
    upstreamModel: route.target.upstreamModel,
    maxOutputTokens: route.model.maxOutputTokens,
    quirks: route.quirks,
    unsupportedFields: refusedFields(route.model, request),
    facts: route.target.facts,
    ...(route.model.hiddenReasoning && { hiddenReasoning: route.model.hiddenReasoning }),
    ...(route.provider.allowFields && { allowFields: route.provider.allowFields }),
  }
}

function refusedFields(model: Model, request: RequestTraits): readonly string[] {
  const { unsupportedFields, unsupportedWhileReasoning = [] } = model
  if (unsupportedWhileReasoning.length === 0 || !hidesReasoning(request, model)) return unsupportedFields
  return [...unsupportedFields, ...unsupportedWhileReasoning]
}

/** Names a route in logs, receipts and health: `openai/gpt-5.5`. */
export function routeName(route: Route): string {
  return `${route.provider.name}/${route.target.upstreamModel}`
}
