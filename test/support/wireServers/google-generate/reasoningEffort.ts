import { BUDGET_TOKENS, LEVELS } from '../../../../src/wire/google-generate/reasoningEffort.ts'
import { readNumber, readObject, readText } from '../../../../src/wire/read.ts'

export function decodeReasoningEffort(config: unknown): string | undefined {
  const thinking = readObject(config)
  const level = readText(thinking?.thinkingLevel)
  if (level !== undefined) return LEVELS.has(level.toLowerCase()) ? level.toLowerCase() : undefined
  const tokens = readNumber(thinking?.thinkingBudget)
  if (tokens === undefined || tokens < 0) return undefined
  for (const [effort, budget] of BUDGET_TOKENS) if (tokens <= budget) return effort
  return 'high'
}
