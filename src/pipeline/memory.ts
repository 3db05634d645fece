import type { Refusal } from '../core/error.ts'
import type { Json, JsonObject } from '../core/json.ts'
import type { MadeBy } from '../core/ports/keptResponses.ts'

/** What a request has to do with what is kept of its workspace's calls. */
export interface Memory {
  /** The body as its caller wrote it. */
  readonly asked: JsonObject
  /** The same with kept items in their places, without the conversation before it. */
  readonly input: JsonObject
  /** The answer is to be kept. */
  readonly keeps: boolean
  /** Encrypted reasoning that came from what is kept, with who made it. */
  readonly makers?: ReadonlyMap<string, MadeBy>
  /** Names of what is kept and cannot be sent again. */
  readonly leftOut?: readonly string[]
}

/** A body that says all by itself, or why it cannot. */
export type Recalled =
  | { readonly ok: true; readonly body: Json; readonly memory?: Memory }
  | { readonly ok: false; readonly refusal: Refusal }
