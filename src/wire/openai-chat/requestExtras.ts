import { isJsonObject, type Json } from '../../core/json.ts'
import { checkBoolean, checkDepth, checkList, checkObject, checkString, InvalidField } from '../check.ts'

/** Checks one of OpenAI's request fields that no field of ours models, carried as they came; false for others. */
export function checkExtra(name: string, value: Json): boolean {
  const check = EXTRA_FIELDS.get(name)
  if (check === undefined) return false
  check(value, name)
  return true
}

type Check = (value: Json, param: string) => unknown

function isObject(value: Json, param: string): void {
  checkObject(value, param)
  checkDepth(value, param)
}

function isArray(value: Json, param: string): void {
  checkList(value, param)
  checkDepth(value, param)
}

function isStringOrObject(value: Json, param: string): void {
  if (typeof value !== 'string' && !isJsonObject(value)) {
    throw new InvalidField(param, 'must be a string or an object')
  }
  checkDepth(value, param)
}

const EXTRA_FIELDS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['audio', isObject],
  ['function_call', isStringOrObject],
  ['functions', isArray],
  ['logit_bias', isObject],
  ['metadata', isObject],
  ['modalities', isArray],
  ['moderation', isObject],
  ['prediction', isObject],
  ['prompt_cache_options', isObject],
  ['prompt_cache_retention', checkString],
  ['safety_identifier', checkString],
  ['service_tier', checkString],
  ['store', checkBoolean],
  ['verbosity', checkString],
  ['web_search_options', isObject],
])

/** The names of the fields that `checkExtra` knows. */
export const EXTRA_FIELD_NAMES: readonly string[] = [...EXTRA_FIELDS.keys()]
