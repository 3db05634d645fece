import { errorBody } from '../../core/error.ts'
import type { Json } from '../../core/json.ts'
import type { CountedCall, DataPlaneEndpoint } from './endpoint.ts'

/** An endpoint that answers `GET` with JSON, costs nothing, and speaks the contract's own format, beside others. */
export function counted(
  endpoint: Pick<DataPlaneEndpoint, 'path' | 'description' | 'otherFormats'> & {
    readonly describe: (call: CountedCall) => Json | Promise<Json>
  },
): DataPlaneEndpoint {
  const { path, description, otherFormats, describe } = endpoint
  return {
    method: 'GET',
    path,
    description,
    idPrefix: 'req_',
    encodeError: errorBody,
    ...(otherFormats && { otherFormats }),
    answer: { kind: 'counted', describe },
  }
}
