import type { ChatRequest } from '../../src/core/chat/request.ts'
import type { WholeAnswer } from '../../src/core/answer/wholeAnswer.ts'
import type { Json } from '../../src/core/json.ts'
import type { WireFormatId } from '../../src/wire/formats.ts'
import type { ApiError } from '../support/readAnswer.ts'
import { startWorld } from '../support/world.ts'
import { type ConversationCaller, chatCaller } from './callers.ts'
import { type CodecProvider, startCodecProvider } from './codecProvider.ts'
import type { Conversation } from './conversation.ts'
import { OUTPUT_TOKENS_MAX } from './meaning.ts'
import { FORMATS, SPOKEN_BY } from './spokenBy.ts'

/** What came of a conversation. */
export type Outcome =
  | { readonly kind: 'refused'; readonly status: number; readonly error: ApiError }
  | {
      readonly kind: 'answered'
      /** What the provider received; several where choices are made by parallel calls. */
      readonly received: readonly ChatRequest[]
      readonly dropped: readonly string[]
      readonly answer: WholeAnswer
    }

export interface ConversationWorld extends AsyncDisposable {
  /** @param caller who asks: default, a caller of chat completions */
  hold(
    format: WireFormatId,
    conversation: Conversation,
    stream: boolean,
    caller?: ConversationCaller,
  ): Promise<Outcome>
}

/** One gateway with a provider of each wire format behind it, all on real sockets. */
export async function startConversationWorld(): Promise<ConversationWorld> {
  const providers = new Map(FORMATS.map((id) => [id, startCodecProvider(id)]))
  const world = await startWorld({
    balance: '1000',
    workspace: { requests_per_minute: 100_000 },
    config: () => ({
      providers: Object.fromEntries([...providers].map(([id, provider]) => providerEntry(id, provider))),
      models: FORMATS.map(modelEntry),
    }),
  })
  return {
    async hold(format, conversation, stream, caller = chatCaller) {
      const provider = providers.get(format)
      if (provider === undefined) throw new Error(`no provider speaks ${format}`)
      provider.script(conversation.answer)
      const response = await caller.ask(world, { model: modelId(format), ...conversation.request }, stream)
      if (response.status !== 200)
        return { kind: 'refused', status: response.status, error: await caller.hearError(response) }
      const dropped = response.headers.get('x-tollgate-dropped-fields')?.split(', ') ?? []
      const { n = 1 } = conversation.request
      const answer = await caller.hear(response, stream, Number(n))
      return { kind: 'answered', received: [...provider.received], dropped, answer }
    },
    async [Symbol.asyncDispose]() {
      await world.stop()
      for (const provider of providers.values()) await provider[Symbol.asyncDispose]()
    },
  }
}

function providerEntry(id: WireFormatId, { url }: CodecProvider): [string, Json] {
  const timeouts = { connect: '10s', first_event: '30s', whole: '30s', idle: '30s' }
  const { provider, like } = SPOKEN_BY[id]
  const entry = { wire: id, base_url: url, api_key: 'provider-secret', timeouts }
  return [provider, { ...(like !== undefined && { like }), ...entry }]
}

function modelId(format: WireFormatId): string {
  return `test/${format}`
}

function modelEntry(format: WireFormatId): Json {
  const { provider, model } = SPOKEN_BY[format]
  return {
    id: modelId(format),
    context_length: 128_000,
    max_output_tokens: OUTPUT_TOKENS_MAX,
    // A whole answer is then asked for as one, whether or not the caller limits it.
    assumed_output_tokens: OUTPUT_TOKENS_MAX,
    our_price: { input: 0.5, output: 1.5 },
    unsupported_fields: [],
    targets: [{ provider, model }],
  }
}
