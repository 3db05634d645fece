import type { Rule } from '../rule.ts'
import { ANSWER_RULES } from './answers.ts'
import { ENDING_RULES } from './endings.ts'
import { ERROR_RULES } from './errors.ts'
import { REQUEST_RULES } from './requests.ts'
import { USAGE_RULES } from './usage.ts'
import { WAIT_RULES } from './waits.ts'

/** All rows of the table. */
export const RULES: readonly Rule[] = [
  ...ANSWER_RULES,
  ...ENDING_RULES,
  ...ERROR_RULES,
  ...WAIT_RULES,
  ...REQUEST_RULES,
  ...USAGE_RULES,
]
