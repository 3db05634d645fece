import { expect } from 'bun:test'
import type { AnswerEvent } from '../../src/core/answer/event.ts'
import type { Frame } from '../../src/core/answer/frame.ts'
import type { WholeAnswer } from '../../src/core/answer/wholeAnswer.ts'
import { parseExactly } from '../../src/core/exactNumber.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { WIRE_FORMATS } from '../../src/wire/formats.ts'
import { hearMessage } from '../support/messagesCaller/hearMessage.ts'
import { hearStream as hearMessages } from '../support/messagesCaller/hearStream.ts'
import { sayRequest as sayMessages } from '../support/messagesCaller/sayRequest.ts'
import type { Heard } from '../support/callers/heard.ts'
import { hearResponse } from '../support/responsesCaller/hearResponse.ts'
import { hearStream as hearResponses } from '../support/responsesCaller/hearStream.ts'
import { sayRequest as sayResponses } from '../support/responsesCaller/sayRequest.ts'
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

/** A caller of another format; it throws `CannotSay` for a conversation that has no words there. */
export interface OtherCaller extends ConversationCaller {
  say(request: JsonObject): JsonObject
}

export const messagesCaller = otherCaller({
  path: '/v1/messages',
  say: (request) => sayMessages(request, OUTPUT_TOKENS_MAX),
  hear: hearMessage,
  hearStream: hearMessages,
  async hearError(response) {
    const { type, error } = await jsonOf(response)
    expect(type).toBe('error')
    return error as unknown as ApiError
  },
})

export const responsesCaller = otherCaller({
  path: '/v1/responses',
  say: sayResponses,
  hear: hearResponse,
  hearStream: hearResponses,
  hearError: errorOf,
})

/** How callers of a format say and read things. */
interface Words {
  readonly path: string
  say(request: JsonObject): JsonObject
  hear(answer: JsonObject): readonly AnswerEvent[]
  hearStream(frames: readonly Frame[]): Heard
  hearError(response: Response): Promise<ApiError>
}

function otherCaller({ path, say, hear, hearStream, hearError }: Words): OtherCaller {
  return {
    say,
    ask: (world, request, stream) =>
      world.request('POST', path, say({ ...request, ...(stream && { stream }) })),
    async hear(response, stream) {
      const text = await response.text()
      if (!stream) return collected(hear(parseExactly(text) as JsonObject))
      const { events, end } = hearStream(framesOf(text))
      if (end !== 'whole') throw new Error(`a stream that is ${end}: ${text.slice(-500)}`)
      return collected(events)
    },
    hearError,
  }
}

function framesOf(text: string): Frame[] {
  return framesOfBytes([new TextEncoder().encode(text)])
}
