import type { JsonObject } from '../core/json.ts'
import { type EncodeTarget, UnsupportedField } from './wire.ts'

/** Notes, while a request is encoded, which of its fields the target cannot take. */
export interface RequestFields {
  /** Whether the target refuses the field. */
  refuses(field: string): boolean
  /** The value, or undefined (and noted as dropped) when the target refuses the field. For harmless fields. */
  optional<T>(field: string, value: T | undefined): T | undefined
  /**
   * The value; throws `UnsupportedField` when the target refuses a field that decides what the answer is.
   * @param decides whether this value does; otherwise the field is optional. Default: true.
   */
  essential<T>(field: string, value: T | undefined, decides?: boolean): T | undefined
  /** Notes fields that are present and have no place in the format; undefined, which is what is sent of them. */
  drop(fields: Readonly<Record<string, unknown>>): undefined
  readonly dropped: readonly string[]
}

/** Field names are the caller's: snake_case, as in the OpenAI interface. */
export function requestFields(target: EncodeTarget): RequestFields {
  const { unsupportedFields, quirks } = target
  const refuses = (field: string): boolean =>
    unsupportedFields.includes(field) || quirks.dropFields?.includes(field) === true
  const dropped = new Set<string>()
  function essential<T>(field: string, value: T | undefined, decides = true): T | undefined {
    if (value === undefined || !refuses(field)) return value
    if (decides) throw new UnsupportedField(field, `This model does not support \`${field}\`.`)
    dropped.add(field)
    return undefined
  }
  return {
    refuses,
    optional: (field, value) => essential(field, value, false),
    essential,
    drop(fields) {
      for (const [field, value] of Object.entries(fields))
        if (value !== undefined && value !== null) dropped.add(field)
      return undefined
    },
    get dropped() {
      return [...dropped]
    },
  }
}

/** Fields of the OpenAI interface whose loss would make it another answer. */
const ESSENTIAL_EXTRAS = ['functions', 'function_call', 'web_search_options']

/** Throws `UnsupportedField` when the caller asks for what only the OpenAI interface can give. */
export function refuseForeignExtras(extra: JsonObject): void {
  for (const field of ESSENTIAL_EXTRAS) {
    if (extra[field] !== undefined && extra[field] !== null)
      throw new UnsupportedField(field, `This model does not support \`${field}\`.`)
  }
  const { modalities } = extra
  if (Array.isArray(modalities) && modalities.some((modality) => modality !== 'text'))
    throw new UnsupportedField('modalities', 'This model answers in text only.')
}
