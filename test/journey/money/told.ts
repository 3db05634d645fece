import type { Act } from '../../support/scriptedProvider.ts'

/** An answer of a provider, whichever format it speaks. */
export interface Told {
  readonly texts: readonly string[]
  readonly thought?: string
  readonly finish: 'stop' | 'length' | 'content_filter' | 'malformed_function_call'
  /** Undefined: none is reported. */
  readonly usage?: Reported | undefined
  /** What it does behind its texts in place of an end; a whole answer is then an error of the provider. */
  readonly breaks?: 'error' | Act
}

export interface Reported {
  readonly prompt: number
  readonly cached?: number
  readonly written?: number
  readonly completion: number
  readonly thoughts?: number
}

/** The balance then cuts an answer at the same text each time. */
export const AT_ONE_TIME = { coalesce: true }

/** Whether a request asks for a stream. */
export function isStreamed(body: unknown): boolean {
  return (body as { readonly stream?: boolean }).stream === true
}
