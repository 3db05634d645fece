import type { FinishReason } from '../../core/answer/wholeAnswer.ts'
import { unreachable } from '../../core/assert.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Usage } from '../../core/usage.ts'
import { readObject, readObjects } from '../read.ts'
import type { Envelope } from '../wire.ts'
import { encodeUsage } from './encodeUsage.ts'

/** Fields of the request that a response repeats, with what holds where the request does not have them. */
const REPEATED: JsonObject = {
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  previous_response_id: null,
  prompt_cache_key: null,
  prompt_cache_retention: null,
  safety_identifier: null,
  temperature: 1,
  tool_choice: 'auto',
  top_logprobs: 0,
  top_p: 1,
  truncation: 'disabled',
  user: null,
}

/** What a response says from its beginning to its end: of itself, and of the request. */
export function constantFields({
  id,
  created,
  model,
  requestBody: body = {},
  kept = false,
}: Envelope): JsonObject {
  const repeated: Record<string, Json> = {}
  for (const name in REPEATED) repeated[name] = body[name] ?? REPEATED[name] ?? null
  return {
    id,
    object: 'response',
    created_at: created,
    model,
    background: false,
    ...repeated,
    store: kept,
    frequency_penalty: 0,
    presence_penalty: 0,
    reasoning: { effort: null, summary: null, ...readObject(body.reasoning) },
    text: { format: { type: 'text' }, ...readObject(body.text) },
    tools: readObjects(body.tools).map(repeatTool),
  }
}

/** Clients read these fields of a function without asking. */
function repeatTool(tool: JsonObject): JsonObject {
  return tool.type === 'function' ? { description: null, parameters: null, strict: null, ...tool } : tool
}

/** What a response says at one moment. */
export interface ResponseState {
  readonly status: 'in_progress' | 'completed' | 'incomplete' | 'failed'
  readonly error?: JsonObject
  /** Why it is incomplete. */
  readonly reason?: string
  readonly output: readonly Json[]
  readonly usage?: Usage | undefined
  /** The tier that served the answer, as the provider named it. */
  readonly serviceTier?: Json | undefined
}

export function changingFields(state: ResponseState, { requestBody }: Envelope): JsonObject {
  const { status, error, reason, output, usage, serviceTier } = state
  return {
    status,
    error: error ?? null,
    incomplete_details: reason === undefined ? null : { reason },
    output,
    service_tier: serviceTier ?? requestBody?.service_tier ?? null,
    usage: encodeUsage(usage),
  }
}

/** The status of an answer that ended: whole, or cut by something. */
export function endOf(finish: FinishReason): Pick<ResponseState, 'status' | 'reason'> {
  switch (finish) {
    case 'stop':
    case 'tool_calls':
    case 'function_call':
      return { status: 'completed' }
    case 'length':
      return { status: 'incomplete', reason: 'max_output_tokens' }
    case 'content_filter':
      return { status: 'incomplete', reason: 'content_filter' }
    default:
      return unreachable(finish)
  }
}
