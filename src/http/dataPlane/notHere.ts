import { type Refusal, refuse } from '../../core/error.ts'

/** Endpoints of vendors that agents call and that are not here: the caller receives a reason, not an unknown method or path. */
const NOT_HERE: ReadonlyMap<string, Refusal> = new Map([
  [
    'POST /v1/responses/compact',
    refuse(
      'invalid_request',
      'Compacting a conversation is not available here. Ask the model for a summary of it with `POST /v1/responses`, and send that in its place.',
    ),
  ],
])

/** Why a vendor's endpoint is not here; undefined for every other method and path. */
export function whyNotHere(method: string, path: string): Refusal | undefined {
  return NOT_HERE.get(`${method} ${path}`)
}
