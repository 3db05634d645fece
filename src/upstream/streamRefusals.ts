import type { RequestTraits } from '../core/traits.ts'
import type { UpstreamFailure } from '../core/failure.ts'
import type { WorkspaceId } from '../core/id.ts'
import { RecentMap } from '../core/recent.ts'
import { type Route, routeName } from './route.ts'

/** Refusals remembered at once; the oldest goes first, and its target is asked once more for a stream. */
export const STREAM_REFUSALS_MAX = 1_000
/** A target that was made to stream since is noticed after so long. */
export const STREAM_REFUSAL_LIFE_MS = 60 * 60_000

/**
 * Which targets do not stream, or not with some field of the request: by what their provider's row says, or by what they
 * answered to the same workspace.
 */
export interface StreamRefusals {
  refuses(workspaceId: WorkspaceId, request: RequestTraits, route: Route): boolean
  /** The target refused to stream this request, and answered it as a whole. */
  learn(workspaceId: WorkspaceId, request: RequestTraits, route: Route, refusal: UpstreamFailure): void
}

/** @param now milliseconds since the epoch */
export function createStreamRefusals(now: () => number): StreamRefusals {
  const known = new RecentMap<string, number>(STREAM_REFUSALS_MAX)

  return {
    refuses(workspaceId, request, route) {
      const { streaming, streamLacks = [] } = route.quirks
      if (streaming === 'never') return true
      if (streaming === 'without_tools' && FIELDS.tools.isIn(request)) return true
      if (streamLacks.some((what) => IS_ASKED_FOR[what](request))) return true
      if (known.size === 0) return false
      const at = now()
      const fields: FieldName[] = [ANY_FIELD, ...fieldsOf(request)]
      return fields.some((field) => at < (known.get(nameOf(workspaceId, route, field)) ?? 0))
    },
    learn(workspaceId, request, route, refusal) {
      known.set(nameOf(workspaceId, route, fieldAtFault(request, refusal)), now() + STREAM_REFUSAL_LIFE_MS)
    },
  }
}

/**
 * Whether a failure says that the target does not stream such a request. Options of a stream are the caller's own: what
 * is wrong with them says nothing of the target.
 */
export function saysItDoesNotStream(failure: UpstreamFailure, { extra }: RequestTraits): boolean {
  return (
    (failure.kind === 'bad_request' || isUnverified(failure)) &&
    extra['stream_options'] === undefined &&
    STREAM_WORD.test(failure.detail)
  )
}

/** OpenAI streams some models only to organizations that it has verified, and gives others whole answers. */
function isUnverified({ kind, sign, status }: UpstreamFailure): boolean {
  return kind === 'credential' && sign === 'words' && status === 400
}

const STREAM_WORD = /\bstream(?:s|ed|ing)?\b/i

/** Whether a request asks for what some streams lack. */
const IS_ASKED_FOR: Readonly<Record<'usage' | 'logprobs', (request: RequestTraits) => boolean>> = {
  usage: ({ includeUsage, stream }) => includeUsage || !stream,
  logprobs: ({ logprobs }) => logprobs === true,
}

/** Stands for a target that streams nothing. */
const ANY_FIELD = 'any'

interface Field {
  isIn(request: RequestTraits): boolean
  /** How a provider names it. */
  readonly words: RegExp
}

/** The fields that some targets take only of a request for a whole answer. */
const FIELDS = {
  tools: {
    isIn: ({ tools, extra }) => tools !== undefined || extra['functions'] !== undefined,
    words: /tool|function/i,
  },
  logprobs: { isIn: ({ logprobs }) => logprobs === true, words: /log.?prob/i },
  response_format: {
    isIn: ({ responseFormat }) => responseFormat !== undefined,
    words: /response.?format|json|schema|structured/i,
  },
  n: { isIn: ({ n }) => n > 1, words: /\bn\b|choices|candidates/i },
  modalities: { isIn: ({ extra }) => extra['modalities'] !== undefined, words: /audio|modalit/i },
} as const satisfies Readonly<Record<string, Field>>

type FieldName = keyof typeof FIELDS | typeof ANY_FIELD

function fieldsOf(request: RequestTraits): FieldName[] {
  const names = Object.keys(FIELDS) as (keyof typeof FIELDS)[]
  return names.filter((name) => FIELDS[name].isIn(request))
}

/** The one that the refusal names, else the one that its words are about. */
function fieldAtFault(request: RequestTraits, { param, detail }: UpstreamFailure): FieldName {
  const fields = fieldsOf(request)
  const named = fields.find((field) => param?.split(/[.[]/)[0] === field)
  return named ?? fields.find((field) => field !== ANY_FIELD && FIELDS[field].words.test(detail)) ?? ANY_FIELD
}

function nameOf(workspaceId: WorkspaceId, route: Route, field: FieldName): string {
  return `${workspaceId} ${routeName(route)} ${field}`
}
