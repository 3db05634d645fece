import type { Rule } from '../rule.ts'
import { ANSWER_RULES } from './answers.ts'
import { ENDING_RULES } from './endings.ts'
import { ERROR_RULES } from './errors.ts'
import { MESSAGE_RULES } from './messages.ts'
import { FIELD_RULES } from './requestFields.ts'
import { REQUEST_RULES } from './requests.ts'
import { USAGE_RULES } from './usage.ts'
import { WAIT_RULES } from './waits.ts'

/** The rows of the table, by what they are about. */
export const RULES_BY_SUBJECT: ReadonlyMap<string, readonly Rule[]> = new Map([
  ['What you send', REQUEST_RULES],
  ['Fields of a request', FIELD_RULES],
  ['Messages', MESSAGE_RULES],
  ['What the model says', ANSWER_RULES],
  ['How a response ends', ENDING_RULES],
  ['Errors', ERROR_RULES],
  ['When to try again', WAIT_RULES],
  ['Usage', USAGE_RULES],
])

/** All rows of the table. */
export const RULES: readonly Rule[] = [...RULES_BY_SUBJECT.values()].flat()
