import { unreachable } from '../core/assert.ts'
import type { ModelFacts, ModelFamily, ReasoningControl } from '../core/modelFacts.ts'
import {
  ADAPTIVE,
  ADAPTIVE_ALWAYS,
  BUDGET,
  BUDGET_OF_PRO,
  LEVELS,
  LEVELS_OF_FIRST_PRO,
  LEVELS_FROM_LOW,
} from './reasoning.ts'

/**
 * Facts about a model that the catalogue does not know, guessed from the family of the format that serves it and its
 * name there. This is the only code that reads anything out of a model's name.
 *
 * @param family undefined: the format sends every model the same
 */
export function guessFacts(upstreamModel: string, family: ModelFamily | undefined): ModelFacts {
  switch (family) {
    case undefined:
      return {}
    case 'anthropic':
      return guessClaude(upstreamModel)
    case 'bedrock':
      return guessBedrock(upstreamModel)
    case 'google':
      return guessGemini(upstreamModel)
    case 'mistral':
      return USER_AFTER_TOOL.test(upstreamModel) ? { userAfterTool: true } : {}
    default:
      return unreachable(family)
  }
}

/** A name that says nothing is that of a deployment: the newest models are assumed. */
function guessClaude(name: string): ModelFacts {
  const version = claudeVersion(name) ?? Number.POSITIVE_INFINITY
  if (version < 307) return BEFORE_4_8
  if (version < 406) return { reasoning: BUDGET, ...BEFORE_4_8 }
  const reasoning = ALWAYS_REASONS.test(name) ? ADAPTIVE_ALWAYS : ADAPTIVE
  return { reasoning, ...refusingPrefill(version), ...(version < 408 && BEFORE_4_8) }
}

/** Amazon's names have the vendor's in front of Claude's; of other models nothing is known. */
function guessBedrock(name: string): ModelFacts {
  return refusingPrefill(claudeVersion(name) ?? 0)
}

/** From 4.6 on; of a deployment nothing is known. */
function refusingPrefill(version: number): ModelFacts {
  return version >= 406 && Number.isFinite(version) ? { refusesPrefill: true } : {}
}

const BEFORE_4_8 = { systemInPlace: false } as const

const ALWAYS_REASONS = /(?:sonnet|opus)-5-5|fable-/

/** `claude-3-7-sonnet-…`, `claude-opus-4-1`; a date is not a minor number. */
const CLAUDE_NUMBER = /claude-(?:[a-z]+-)?(\d{1,2})(?!\d)(?:[-.](\d{1,2})(?!\d))?/

/** `claude-opus-4-5` is 405. */
function claudeVersion(name: string): number | undefined {
  const match = CLAUDE_NUMBER.exec(name)
  return match ? Number(match[1]) * 100 + Number(match[2] ?? 0) : undefined
}

/**
 * Recorded: sixteen calls of two public repositories. Of others 400 "Unexpected role 'user' after role 'tool'" is reported:
 * datapizza-labs/datapizza-ai#98, zed-industries/zed#37021.
 */
const USER_AFTER_TOOL = /^(?:mistral-small|ministral-3b)-latest$/

/** Other families are served in this format too, and nothing is known of them. */
function guessGemini(name: string): ModelFacts {
  const version = geminiVersion(name)
  if (version === undefined) return {}
  if (version < 2.5) return { formatOrTools: true }
  const isPro = /-pro\b/.test(name)
  if (version < 3) return { reasoning: isPro ? BUDGET_OF_PRO : BUDGET, formatOrTools: true }
  return {
    reasoning: isPro ? levelsOfPro(version) : levelsOfFlash(name, version),
    requiresSignedCalls: true,
    ...(version >= (/flash-lite\b/.test(name) ? 3.5 : 3.6) &&
      Number.isFinite(version) && { refusesPrefill: true }),
  }
}

/** From 3.7 on, Flash has no `minimal`; Flash-Lite has it. */
function levelsOfFlash(name: string, version: number): ReasoningControl {
  return version >= 3.7 && !/-lite\b/.test(name) ? LEVELS_FROM_LOW : LEVELS
}

function levelsOfPro(version: number): ReasoningControl {
  return version < 3.1 ? LEVELS_OF_FIRST_PRO : LEVELS_FROM_LOW
}

/** `gemini-2.5-flash` is 2.5; `gemini-flash-latest` is the newest; other families have none. */
function geminiVersion(name: string): number | undefined {
  if (!/gemini/i.test(name)) return undefined
  const number = /gemini-(\d+(?:\.\d+)?)(?!\d)/i.exec(name)?.[1]
  return number === undefined ? Number.POSITIVE_INFINITY : Number(number)
}
