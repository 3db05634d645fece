import { z } from 'zod'
import { GatewayError, refuse } from '../../core/error.ts'
import { isIdLike, type RequestId } from '../../core/id.ts'
import { parseExactly } from '../../core/exactNumber.ts'
import type { Json } from '../../core/json.ts'
import type { KeptResponse } from '../../core/ports/keptResponses.ts'
import { printableStart } from '../../core/printable.ts'
import { PAGE_LIMIT_DEFAULT, pageFields } from '../../operations/page.ts'
import { NO_ROOM_FOR_BODY } from '../../pipeline/authenticate/bodyBudget.ts'
import { keptItems, listedItem } from '../../wire/openai-responses/references.ts'
import { answers } from '../docs/errorSchema.ts'
import { DeletedResponse, InputItemList, ResponseObject } from '../docs/responsesSchema.ts'
import { counted } from './counted.ts'
import type { CountedCall, DataPlaneEndpoint } from './endpoint.ts'
import { RATE_HEADERS } from './headers.ts'

const TAG = 'Models and completions'
const id = z.string().meta({ description: 'Of a kept response.', example: 'resp_01K8XJ5M7QZ3V9T4B6N2C1D0FG' })
const request = { params: z.object({ response_id: id }) }

/** A kept response, as its caller got it. */
export const keptResponse = counted({
  path: '/v1/responses/{response_id}',
  description: {
    operationId: 'get_response',
    summary: 'Show a kept response',
    tag: TAG,
    request,
    responses: answers(200, 'The response.', ResponseObject, RATE_HEADERS),
    refusals: ['invalid_request', 'not_found'],
  },
  describe(call) {
    refuseStream(new URLSearchParams(call.query))
    return withKept(call, ({ response }) => parseExactly(response) as Json)
  },
})

/** A kept response is shown whole. */
function refuseStream(query: URLSearchParams): void {
  for (const param of ['stream', 'starting_after', 'include_obfuscation']) {
    if (!query.has(param) || query.get(param) === 'false') continue
    const message = `\`${param}\` is not available here: a kept response is not streamed again.`
    throw new GatewayError(refuse('invalid_request', message, { param }))
  }
}

/** Forgets a kept response: nothing can go on from it, or refer to its items, any more. */
export const deletedResponse: DataPlaneEndpoint = {
  ...counted({
    path: '/v1/responses/{response_id}',
    description: {
      operationId: 'delete_response',
      summary: 'Delete a kept response',
      tag: TAG,
      request,
      responses: answers(200, 'It is deleted.', DeletedResponse, RATE_HEADERS),
      refusals: ['not_found'],
    },
    async describe(call) {
      const id = idIn(call)
      const isForgotten = await call.deps.store.keptResponses.forget(call.caller.workspace.id, id)
      if (!isForgotten) throw notFound(id)
      return { id, object: 'response.deleted', deleted: true }
    },
  }),
  method: 'DELETE',
}

/** What the request of a kept response brought. */
export const inputItems = counted({
  path: '/v1/responses/{response_id}/input_items',
  description: {
    operationId: 'list_input_items',
    summary: 'List the input items of a kept response',
    details: 'What its own request brought, the last first, without the conversation that it went on from.',
    tag: TAG,
    request: {
      ...request,
      query: z.object({
        limit: pageFields.limit,
        order: z.enum(['asc', 'desc']).optional(),
        after: z.string().optional().meta({ description: 'The id of the item before the page.' }),
      }),
    },
    responses: answers(200, 'The items.', InputItemList, RATE_HEADERS),
    refusals: ['invalid_request', 'not_found'],
  },
  describe: (call) => withKept(call, (kept) => pageOf(kept, new URLSearchParams(call.query))),
})

function idIn({ params }: CountedCall): RequestId {
  const { response_id: id = '' } = params
  if (!isIdLike(id)) throw notFound(id)
  return id as RequestId
}

/** Reads a kept response in a turn of its own, within the room for bodies: it may be as large as one. */
async function withKept(call: CountedCall, describe: (kept: KeptResponse) => Json): Promise<Json> {
  const { caller, deps } = call
  const { key, workspace } = caller
  const id = idIn(call)
  const share = deps.bodies.open({ keyId: key.countersId, workspaceId: workspace.id })
  try {
    await deps.ownTurn()
    const kept = await deps.store.keptResponses.response(workspace.id, id, {
      at: deps.now(),
      mayRead: (bytes) => share.take(bytes),
    })
    if (kept === 'too_large') throw new GatewayError(NO_ROOM_FOR_BODY)
    // 404, not 403: a 403 would show that the response of another workspace exists.
    if (kept === undefined) throw notFound(id)
    return describe(kept)
  } finally {
    share.release()
  }
}

function notFound(id: string): GatewayError {
  const message = `Response with id '${printableStart(id)}' not found.`
  return new GatewayError(refuse('not_found', message, { param: 'response_id' }))
}

function pageOf(kept: KeptResponse, query: URLSearchParams): Json {
  const all = keptItems(kept.input).map((item, place) => listedItem(item, kept.id, place))
  if (query.get('order') !== 'asc') all.reverse()
  const after = query.get('after')
  const start = after === null ? 0 : all.findIndex((item) => item.id === after) + 1
  if (after !== null && start === 0)
    throw new GatewayError(
      refuse('invalid_request', '`after` names no item of this response.', { param: 'after' }),
    )
  const data = all.slice(start, start + limitIn(query))
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: start + data.length < all.length,
  }
}

/** A larger limit is lowered. */
function limitIn(query: URLSearchParams): number {
  const { success, data } = pageFields.limit.safeParse(query.get('limit') ?? undefined)
  if (success) return data ?? PAGE_LIMIT_DEFAULT
  const message = '`limit` must be a whole number from 1.'
  throw new GatewayError(refuse('invalid_request', message, { param: 'limit' }))
}
