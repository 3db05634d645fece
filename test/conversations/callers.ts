import { expect } from 'bun:test'
import type { WholeAnswer } from '../../src/core/answer/wholeAnswer.ts'
import { parseExactly } from '../../src/core/exactNumber.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { WIRE_FORMATS } from '../../src/wire/formats.ts'
import { hearMessage } from '../support/messagesCaller/hearMessage.ts'
import { hearStream } from '../support/messagesCaller/hearStream.ts'
import { sayRequest } from '../support/messagesCaller/sayRequest.ts'
import { type ApiError, errorOf, jsonOf, streamOf } from '../support/readAnswer.ts'
import { framesOfBytes } from '../support/streamBytes.ts'
import { collected, eventsOf } from '../support/wireFixtures.ts'
import type { World } from '../support/world.ts'
import { OUTPUT_TOKENS_MAX } from './meaning.ts'

/** Asks a conversation in the words of one endpoint, and reads its answer. */
export interface ConversationCaller {
  /** @param request a chat completion request, without `stream` */
  ask(world: World, request: JsonObject, stream: boolean): Promise<Response>
  hear(response: Response, stream: boolean, choices: number): Promise<WholeAnswer>
  hearError(response: Response): Promise<ApiError>
}

export const chatCaller: ConversationCaller = {
  ask: (world, request, stream) =>
    world.chat({ ...request, ...(stream && { stream, stream_options: { include_usage: true } }) }),
  async hear(response, stream, choices) {
    const { client } = WIRE_FORMATS['openai-chat']
    if (!stream) return client.decodeResponse(await jsonOf(response), choices)
    const { text, done } = await streamOf(response)
    if (!done) throw new Error(`a stream without [DONE]: ${text.slice(-500)}`)
    return collected(eventsOf(client, framesOf(text), choices))
  },
  hearError: errorOf,
}

/** Throws `CannotSay` for a conversation that has no words in Messages. */
export const messagesCaller: ConversationCaller = {
  ask: (world, request, stream) =>
    world.request(
      'POST',
      '/v1/messages',
      sayRequest({ ...request, ...(stream && { stream }) }, OUTPUT_TOKENS_MAX),
    ),
  async hear(response, stream) {
    const text = await response.text()
    if (!stream) return collected(hearMessage(parseExactly(text) as JsonObject))
    const { events, end } = hearStream(framesOf(text))
    if (end !== 'whole') throw new Error(`a stream that is ${end}: ${text.slice(-500)}`)
    return collected(events)
  },
  async hearError(response) {
    const { type, error } = await jsonOf(response)
    expect(type).toBe('error')
    return error as unknown as ApiError
  },
}

function framesOf(text: string) {
  return framesOfBytes([new TextEncoder().encode(text)])
}
