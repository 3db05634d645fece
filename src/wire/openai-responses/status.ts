import type { UpstreamFailure } from '../../core/failure.ts'
import type { JsonObject } from '../../core/json.ts'
import { invalidAnswer } from '../invalidAnswer.ts'
import { readObject, readText } from '../read.ts'
import { decodeErrorObject, errorIn } from './decodeError.ts'

/** How a response ended: by a word for `readFinish`, or by a failure. */
export type Ending =
  | { readonly type: 'ended'; readonly word: string }
  | { readonly type: 'failed'; readonly failure: UpstreamFailure }
  | { readonly type: 'open' }

/** The last events of a stream, by what they say of the response. */
export type FinalStatus = 'completed' | 'incomplete' | 'failed'

/**
 * Reads `status`, `incomplete_details` and `error`.
 * @param final the last event of a stream: it holds where the response says nothing else. Default: it is a whole answer
 */
export function readEnding(response: JsonObject, final?: FinalStatus): Ending {
  const error = errorIn(response)
  const status = statusOf(response, final)
  if (status === 'failed' || error !== undefined)
    return { type: 'failed', failure: decodeErrorObject(error ?? null) }
  switch (status) {
    case 'queued':
    case 'in_progress':
      return { type: 'open' }
    case 'incomplete':
      return { type: 'ended', word: reasonOf(response) ?? status }
    default:
      return { type: 'ended', word: status }
  }
}

function statusOf({ status: given }: JsonObject, final: FinalStatus | undefined): string {
  const status = readText(given)
  if (final === undefined) return status ?? 'completed'
  const isOpen = status === undefined || status === 'queued' || status === 'in_progress'
  return isOpen || final !== 'completed' ? final : status
}

function reasonOf({ incomplete_details: details }: JsonObject): string | undefined {
  const reason = readObject(details)?.reason
  if (reason === undefined || reason === null || typeof reason === 'string') return readText(reason)
  throw invalidAnswer('the reason why it is incomplete is not a word')
}
