import { unreachable } from '../../core/assert.ts'
import type { JsonObject } from '../../core/json.ts'
import type { ReasoningControl } from '../../core/modelFacts.ts'
import { readNumber, readObject, readText } from '../read.ts'

/** What a request says about thinking. */
export interface ThinkingConfig {
  readonly thinking?: JsonObject
  readonly effort?: string
  /** The effort has no form that this request could carry. */
  readonly dropped?: boolean
}

export interface ThinkingContext {
  /** Undefined where the model does not reason when it is asked to. */
  readonly control: ReasoningControl | undefined
  readonly maxTokens: number
  /** The request forces a tool call, which excludes thinking. */
  readonly forcesTool: boolean
  /** A turn that is to be gone on with has no signed thinking block: a call without its result, or a begun answer. */
  readonly unsignedTurn: boolean
}

const THINKING_TOKENS_MIN = 1024
/** What is left of `max_tokens` for the answer itself: a fifth. */
const BUDGET_SHARE_MAX = 0.8

const BUDGET_TOKENS: Readonly<Record<string, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 24_576,
  xhigh: 32_768,
  max: 32_768,
}

/**
 * Turns `reasoning_effort` into what the model understands
 * (https://platform.claude.com/docs/en/build-with-claude/thinking): an effort with adaptive thinking, or a token budget.
 */
export function encodeReasoningEffort(effort: string, context: ThinkingContext): ThinkingConfig {
  const { control } = context
  if (effort === 'none') {
    if (control?.kind !== 'adaptive') return {}
    return control.always ? { effort: 'low' } : { thinking: { type: 'disabled' } }
  }
  if (!Object.hasOwn(BUDGET_TOKENS, effort)) return { dropped: true }
  switch (control?.kind) {
    case 'budget':
      return budget(effort, context)
    case 'adaptive': {
      const level = effort === 'minimal' ? 'low' : effort
      return context.forcesTool ? { effort: level } : { thinking: { type: 'adaptive' }, effort: level }
    }
    // The format has no levels.
    case 'level':
    case undefined:
      return { dropped: true }
    default:
      return unreachable(control)
  }
}

/** Reads the effort out of a request's `thinking` and `output_config`. */
export function decodeReasoningEffort(body: JsonObject): string | undefined {
  const thinking = readObject(body.thinking)
  if (isEffortOf(body)) return readText(readObject(body.output_config)?.effort)
  if (thinking?.type === 'disabled') return 'none'
  const tokens = readNumber(thinking?.budget_tokens)
  if (thinking?.type !== 'enabled' || tokens === undefined) return undefined
  if (tokens <= 2048) return 'low'
  return tokens <= 8192 ? 'medium' : 'high'
}

/** Whether the model is to think as much as it likes. */
export function leavesDepthOpen(body: JsonObject): boolean {
  return readObject(body.thinking)?.type === 'adaptive' && !isEffortOf(body)
}

/** Whether a request's effort is that of its `output_config`, and not of `thinking`. */
export function isEffortOf({ thinking, output_config: config }: JsonObject): boolean {
  return readObject(thinking)?.type !== 'disabled' && readText(readObject(config)?.effort) !== undefined
}

function budget(effort: string, context: ThinkingContext): ThinkingConfig {
  const wanted = BUDGET_TOKENS[effort] ?? THINKING_TOKENS_MIN
  const tokens = Math.min(wanted, Math.floor(context.maxTokens * BUDGET_SHARE_MAX))
  if (tokens < THINKING_TOKENS_MIN || context.forcesTool || context.unsignedTurn) return { dropped: true }
  return { thinking: { type: 'enabled', budget_tokens: tokens } }
}
