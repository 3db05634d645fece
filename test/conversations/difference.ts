import type { Json } from '../../src/core/json.ts'

/** A permitted difference of a wire format from the native one, in one conversation. */
export type Difference = Refused | Dropped | Changed

/** The gateway answers 400 and names the field: the answer would not be what was asked for. */
export interface Refused {
  readonly kind: 'refused'
  readonly param: string
}

/** The field is left out and named in `x-tollgate-dropped-fields`; the provider does not receive it. */
export interface Dropped {
  readonly kind: 'dropped'
  readonly field: string
}

/** The provider receives, or the caller gets, something else than in the native format. */
export interface Changed {
  readonly kind: 'changed'
  readonly where: 'request' | 'answer'
  /** In the meaning of the request or the answer (`meaning.ts`). */
  readonly path: string
  /** What is there instead; undefined: nothing. */
  readonly to: Json | undefined
  /** For users: a clause that follows the conversation's name. */
  readonly how: string
}

/** The differences of one wire format by the name of the conversation. */
export type Differences = Readonly<Record<string, readonly Difference[]>>

export function refused(param: string): readonly Difference[] {
  return [{ kind: 'refused', param }]
}

export function dropped(...fields: readonly string[]): readonly Difference[] {
  return fields.map((field) => ({ kind: 'dropped', field }))
}

/** The provider receives something else. */
export function sends(path: string, to: Json | undefined, how: string): Difference {
  return { kind: 'changed', where: 'request', path, to, how }
}

/** The caller gets something else. */
export function gives(path: string, to: Json | undefined, how: string): Difference {
  return { kind: 'changed', where: 'answer', path, to, how }
}
