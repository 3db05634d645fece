import { expect } from 'bun:test'
import { errorBody } from '../../src/core/error.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { openAiResponses } from '../../src/wire/openai-responses/openAiResponses.ts'
import { hearResponse } from '../support/responsesCaller/hearResponse.ts'
import { hearStream } from '../support/responsesCaller/hearStream.ts'
import { sayRequest } from '../support/responsesCaller/sayRequest.ts'
import { type WatchedView, callerView } from './callerView.ts'

/** A caller of Responses. */
export function responsesView(): WatchedView {
  return callerView({
    server: openAiResponses.server,
    say: sayRequest,
    hear: hearResponse,
    hearStream,
    expectError: (written, refusal) => expect(written).toEqual(errorBody(refusal) as unknown as JsonObject),
    complete: (body) => body,
    withoutOwn: (request) => request,
  })
}
