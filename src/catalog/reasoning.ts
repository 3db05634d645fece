import type { ReasoningControl } from '../core/modelFacts.ts'

// https://platform.claude.com/docs/en/build-with-claude/thinking

/** Claude from 4.6 on. */
export const ADAPTIVE: ReasoningControl = { kind: 'adaptive' }
export const ADAPTIVE_ALWAYS: ReasoningControl = { kind: 'adaptive', always: true }

/** Claude from 3.7 to 4.5, and Gemini 2.5. */
export const BUDGET: ReasoningControl = { kind: 'budget' }

// https://ai.google.dev/gemini-api/docs/thinking

/** Gemini 2.5 Pro does not reason less than this. */
export const BUDGET_OF_PRO: ReasoningControl = { kind: 'budget', tokensMin: 128 }

/** Gemini from 3 on. */
export const LEVELS: ReasoningControl = { kind: 'level', levels: ['minimal', 'low', 'medium', 'high'] }
/** Pro from 3.1 on, and Flash from 3.7 on. */
export const LEVELS_FROM_LOW: ReasoningControl = { kind: 'level', levels: ['low', 'medium', 'high'] }
export const LEVELS_OF_FIRST_PRO: ReasoningControl = { kind: 'level', levels: ['low', 'high'] }
