import { anthropicMessages } from '../../wire/anthropic-messages/anthropicMessages.ts'
import type { Answering, OtherFormat } from './endpoint.ts'

/**
 * The answer for clients of Anthropic, at an address that they share with others: they send the version of its API with every
 * request, whichever it is.
 */
export function forAnthropic(
  describe: Extract<Answering, { readonly kind: 'counted' }>['describe'],
): OtherFormat {
  return {
    isAskedBy: (headers) => headers.has('anthropic-version'),
    encodeError: anthropicMessages.server.encodeError,
    idHeader: 'request-id',
    answer: { kind: 'counted', describe },
  }
}
