import type { JsonObject } from '../../core/json.ts'

export const BUDGET_TOKENS: ReadonlyMap<string, number> = new Map([
  ['none', 0],
  ['minimal', 512],
  ['low', 1024],
  ['medium', 8192],
  ['high', 24_576],
  ['xhigh', 24_576],
  ['max', 24_576],
])
/** The least that Gemini 2.5 Pro thinks. */
const PRO_BUDGET_TOKENS_MIN = 128

export const LEVELS: ReadonlyMap<string, string> = new Map([
  ['none', 'MINIMAL'],
  ['minimal', 'MINIMAL'],
  ['low', 'LOW'],
  ['medium', 'MEDIUM'],
  ['high', 'HIGH'],
  ['xhigh', 'HIGH'],
  ['max', 'HIGH'],
])

/**
 * Turns `reasoning_effort` into a level (Gemini 3 and later) or a budget (2.5); undefined for models
 * that do not think (https://ai.google.dev/gemini-api/docs/thinking).
 */
export function encodeReasoningEffort(effort: string, model: string): JsonObject | undefined {
  const version = geminiVersion(model)
  const isPro = /-pro\b/.test(model)
  if (version === undefined || version < 2.5) return undefined
  const thoughts = effort === 'none' ? {} : { includeThoughts: true }
  if (version < 3) {
    const tokens = BUDGET_TOKENS.get(effort)
    if (tokens === undefined) return undefined
    return { thinkingBudget: isPro ? Math.max(tokens, PRO_BUDGET_TOKENS_MIN) : tokens, ...thoughts }
  }
  const level = LEVELS.get(effort)
  if (level === undefined) return undefined
  return { thinkingLevel: isPro ? levelOfPro(level, version) : level, ...thoughts }
}

/** Whether the model refuses an earlier call of its own without the signature it came with. */
export function wantsSignatures(model: string): boolean {
  return (geminiVersion(model) ?? 0) >= 3
}

/** `gemini-2.5-flash` is 2.5; `gemini-flash-latest` is the newest; other families have none. */
function geminiVersion(model: string): number | undefined {
  if (!/gemini/i.test(model)) return undefined
  const number = /gemini-(\d+(?:\.\d+)?)(?!\d)/i.exec(model)?.[1]
  return number === undefined ? Number.POSITIVE_INFINITY : Number(number)
}

/** Pro models know no minimal level, and the first of them no medium one. */
function levelOfPro(level: string, version: number): string {
  if (level === 'MINIMAL') return 'LOW'
  return level === 'MEDIUM' && version < 3.1 ? 'HIGH' : level
}
