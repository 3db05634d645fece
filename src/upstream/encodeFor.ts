import type { ChatRequest } from '../core/chat/request.ts'
import { namingUnknown } from '../wire/unknownFields.ts'
import type { EncodedRequest, NativeAnswers } from '../wire/wire.ts'
import { type Route, encodeTargetOf } from './route.ts'

/** A request in the words of its target. */
export interface Encoded {
  readonly encoded: EncodedRequest
  /** Where the caller's own words are sent: the answer comes back in the provider's. */
  readonly native?: NativeAnswers
}

/**
 * Encodes a request for a target: passed on as its caller wrote it where both speak the same format and nothing has to be
 * rewritten, else translated. Throws `UnsupportedField`.
 */
export function encodeFor(request: ChatRequest, route: Route): Encoded {
  const { format } = route
  const { source } = request
  const target = encodeTargetOf(route, request)
  if (source?.format === format.id && format.native) {
    const encoded = format.native.encodeRequest(source, request, target)
    const { answers } = format.native
    if (encoded) return { encoded, ...(answers && { native: answers }) }
  }
  return { encoded: namingUnknown(request, format.client.encodeRequest(request, target)) }
}
