import { type Json, type JsonObject, isJsonObject } from '../core/json.ts'

/** Deeper nested values are refused: no tool schema needs it, and recursive code behind us stays safe. */
export const NESTING_DEPTH_MAX = 64

/** A request field is wrong. Becomes a refusal in `readRequest`. */
export class InvalidField extends Error {
  override readonly name = 'InvalidField'
  /** Dotted path: `messages[2].content`. */
  readonly param: string
  /** As of a `Refusal`. */
  readonly details: JsonObject | undefined
  constructor(param: string, problem: string, details?: JsonObject) {
    super(`\`${param}\` ${problem}.`)
    this.param = param
    this.details = details
  }
}

export function checkString(value: unknown, param: string): string {
  if (typeof value === 'string') return value
  throw new InvalidField(param, 'must be a string')
}

export function checkBounded(value: unknown, param: string, lengthMax: number): string {
  const text = checkString(value, param)
  if (text.length <= lengthMax) return text
  throw new InvalidField(param, `must not be longer than ${lengthMax} characters`)
}

export function checkName(value: unknown, param: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw new InvalidField(param, 'must be a non-empty string')
}

export function checkBoolean(value: unknown, param: string): boolean {
  if (typeof value === 'boolean') return value
  throw new InvalidField(param, 'must be true or false')
}

export function checkNumber(value: unknown, param: string, least: number, most: number): number {
  if (typeof value === 'number' && value >= least && value <= most) return value
  throw new InvalidField(param, `must be a number from ${least} to ${most}`)
}

/** Without bounds: any integer that a double holds exactly. */
export function checkInteger(value: unknown, param: string, least?: number, most?: number): number {
  const isInteger = typeof value === 'number' && Number.isSafeInteger(value)
  if (isInteger && value >= (least ?? value) && value <= (most ?? value)) return value
  if (most !== undefined) throw new InvalidField(param, `must be an integer from ${least} to ${most}`)
  if (least !== undefined) throw new InvalidField(param, `must be an integer of at least ${least}`)
  throw new InvalidField(param, 'must be an integer')
}

export function checkObject(value: unknown, param: string): JsonObject {
  if (isJsonObject(value)) return value
  throw new InvalidField(param, 'must be an object')
}

export function checkList(value: Json, param: string): readonly Json[]
export function checkList(value: unknown, param: string): readonly unknown[]
export function checkList(value: unknown, param: string): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new InvalidField(param, 'must be an array')
}

/** Refuses values nested deeper than `NESTING_DEPTH_MAX`. The recursion is bounded by that very limit. */
export function checkDepth(value: unknown, param: string): void {
  if (isDeeper(value, NESTING_DEPTH_MAX)) {
    throw new InvalidField(param, `is nested more than ${NESTING_DEPTH_MAX} levels deep`)
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) {
    for (const item of value) if (isDeeper(item, levels - 1)) return true
    return false
  }
  const object = value as Record<string, unknown>
  for (const key in object) {
    const field = object[key]
    if (typeof field === 'object' && field !== null && isDeeper(field, levels - 1)) return true
  }
  return false
}
