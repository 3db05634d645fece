import type { JsonObject } from '../../core/json.ts'
import type { ReasoningControl, ReasoningLevel } from '../../core/modelFacts.ts'

export const BUDGET_TOKENS: ReadonlyMap<string, number> = new Map([
  ['none', 0],
  ['minimal', 512],
  ['low', 1024],
  ['medium', 8192],
  ['high', 24_576],
  ['xhigh', 24_576],
  ['max', 24_576],
])

export const LEVELS: ReadonlyMap<string, ReasoningLevel> = new Map([
  ['none', 'minimal'],
  ['minimal', 'minimal'],
  ['low', 'low'],
  ['medium', 'medium'],
  ['high', 'high'],
  ['xhigh', 'high'],
  ['max', 'high'],
])

/** From the least effort to the most. */
const LEVELS_IN_ORDER: readonly ReasoningLevel[] = ['minimal', 'low', 'medium', 'high']

/**
 * Turns `reasoning_effort` into a level or a budget; undefined for an unknown effort, and for models that take neither
 * (https://ai.google.dev/gemini-api/docs/thinking).
 */
export function encodeReasoningEffort(
  effort: string,
  control: ReasoningControl | undefined,
): JsonObject | undefined {
  const thoughts = effort === 'none' ? {} : { includeThoughts: true }
  if (control?.kind === 'level') {
    const level = LEVELS.get(effort)
    return level && { thinkingLevel: nearestLevel(level, control.levels).toUpperCase(), ...thoughts }
  }
  if (control?.kind === 'budget') {
    const tokens = BUDGET_TOKENS.get(effort)
    return tokens === undefined
      ? undefined
      : { thinkingBudget: Math.max(tokens, control.tokensMin ?? 0), ...thoughts }
  }
  return undefined
}

/** The level, or the next stronger one that the model has. */
function nearestLevel(wanted: ReasoningLevel, levels: readonly ReasoningLevel[]): ReasoningLevel {
  const stronger = LEVELS_IN_ORDER.slice(LEVELS_IN_ORDER.indexOf(wanted))
  return stronger.find((level) => levels.includes(level)) ?? wanted
}
