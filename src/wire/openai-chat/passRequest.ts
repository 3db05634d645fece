import type { ChatRequest } from '../../core/chat/request.ts'
import type { RequestSource } from '../../core/traits.ts'
import type { Json } from '../../core/json.ts'
import type { EncodedRequest, EncodeTarget } from '../wire.ts'
import { encodeRequest } from './encodeRequest.ts'

/**
 * The request of a caller of the same format. The canonical language is that of this format, so what is nested passes by itself;
 * here fields pass that only the operator's list names.
 */
export function passRequest(
  { body: sent }: RequestSource,
  request: ChatRequest,
  target: EncodeTarget,
): EncodedRequest {
  const { unknownFields = [] } = request
  const { body, dropped, ...encoded } = encodeRequest(request, target)
  if (unknownFields.length === 0) return { ...encoded, body, dropped }
  const passed: Record<string, Json | undefined> = {}
  for (const name of unknownFields) if (target.allowFields?.includes(name)) passed[name] = sent[name]
  const left = unknownFields.filter((name) => !Object.hasOwn(passed, name))
  return { ...encoded, body: { ...body, ...passed }, dropped: [...left, ...dropped] }
}
