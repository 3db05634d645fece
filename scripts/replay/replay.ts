import { isJsonObject, type JsonObject, parseJson } from '../../src/core/json.ts'
import { knownProvider } from '../../src/providers/index.ts'
import { readText } from '../../src/wire/read.ts'
import { startProcessWorld } from '../../test/support/processWorld.ts'
import { expectValidAnswer } from '../../test/support/validAnswer.ts'
import type { WireFormatId } from '../../src/wire/formats.ts'
import { namesIn, providerIn } from './asOtherFormat.ts'
import { answerDifferences, type Got, requestDifferences } from './differences.ts'
import { type CallerFormatId, fieldOf, inChatCompletions } from './formats.ts'
import { ownDifferences } from './ownFormat.ts'
import type { RecordedCall } from './recordedCall.ts'
import { type RecordedProvider, startRecordedProvider } from './recordedProvider.ts'

/** One way of one recording: how its caller asks. The provider answers as it was recorded. */
interface Play {
  readonly call: RecordedCall
  readonly asks: 'whole' | 'streamed'
}

/** What was seen, by kind: the files in which it was. */
export interface Findings {
  /** How often an answer was compared. */
  readonly answers: number
  /** How many of them say what was recorded; failures are counted by kind. */
  readonly same: number
  readonly answerKinds: ReadonlyMap<string, ReadonlySet<string>>
  readonly requestKinds: ReadonlyMap<string, ReadonlySet<string>>
}

/**
 * How a call is asked: at chat completions; at the endpoint of its own format, as it was recorded; or so, of a provider that
 * speaks another format.
 */
export type Door = 'chat' | 'own' | { readonly to: WireFormatId }

/** Further calls at the same time add nothing on a small machine. */
const CALLS_AT_ONCE = 4
/** So long that the gateway asks for it as a stream where it can, and longer than any recorded answer. */
const OUTPUT_TOKENS = 100_000
/** Nothing that a recording costs reaches it. */
const BALANCE_USD = '1000000'

const PATHS = {
  'openai-chat': '/v1/chat/completions',
  'anthropic-messages': '/v1/messages',
  'openai-responses': '/v1/responses',
} as const satisfies Record<CallerFormatId, string>

/** What is asked where the recorded request was not recorded, or is refused. */
function plainRequest(format: CallerFormatId, stream: boolean): JsonObject {
  return format === 'openai-responses'
    ? { input: 'Hi', max_output_tokens: OUTPUT_TOKENS, stream }
    : { messages: [{ role: 'user', content: 'Hi' }], max_tokens: OUTPUT_TOKENS, stream }
}

/**
 * Sends each call through a gateway of its own process: at chat completions asked whole and streamed, in its own format as it
 * was recorded.
 * @param progress is called after each play
 */
export async function replay(
  calls: readonly RecordedCall[],
  progress: (done: number, of: number) => void,
  door: Door = 'chat',
): Promise<Findings> {
  const plays = calls.flatMap((call): Play[] =>
    door !== 'chat'
      ? [{ call, asks: call.answer.kind }]
      : [
          { call, asks: 'whole' },
          { call, asks: 'streamed' },
        ],
  )
  const provider = startRecordedProvider((play) => playAt(plays, play).call, formatOf(door))
  const answerKinds = new Map<string, Set<string>>()
  const requestKinds = new Map<string, Set<string>>()
  let same = 0
  try {
    await using world = await startProcessWorld({
      processes: 1,
      config: () => configOf(plays, provider, formatOf(door)),
    })
    const [gateway] = world.processes
    if (!gateway) throw new Error('the gateway does not run')
    const { secret } = await world.createCustomer({ balance: BALANCE_USD })
    const ask = async (play: number, body: JsonObject): Promise<Got> => {
      const path = PATHS[door === 'chat' ? 'openai-chat' : playAt(plays, play).call.format]
      const response = await fetch(`${gateway.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, model: `play-${play}` }),
      })
      const { status, headers } = response
      const text = await response.text()
      const answer = {
        method: 'POST',
        path,
        status,
        contentType: headers.get('content-type'),
        body: text,
      }
      const isValid = await expectValidAnswer(answer).then(
        () => true,
        () => false,
      )
      return { status, text, isValid, dropped: namesIn(headers.get('x-tollgate-dropped-fields')) }
    }
    let next = 0
    let done = 0
    const work = async (): Promise<void> => {
      for (let at = next++; at < plays.length; at = next++) {
        const { call, asks } = playAt(plays, at)
        const play = door === 'chat' ? playOne : door === 'own' ? playInOwnFormat : playTranslated
        const found = await play(
          call,
          asks,
          (body) => ask(at, body),
          () => provider.receivedBy(at),
        )
        if (found.answer.length === 0) same++
        for (const kind of found.answer) add(answerKinds, kind, `${call.file} (${asks})`)
        for (const kind of found.request) add(requestKinds, kind, call.file)
        progress(++done, plays.length)
      }
    }
    await Promise.all(Array.from({ length: CALLS_AT_ONCE }, work))
  } finally {
    provider.stop()
  }
  return { answers: plays.length, same, answerKinds, requestKinds }
}

interface Found {
  readonly answer: readonly string[]
  readonly request: readonly string[]
}

/** A request that the gateway cannot take is a find; then a plain one brings the answer. */
async function playOne(
  call: RecordedCall,
  asks: Play['asks'],
  ask: (body: JsonObject) => Promise<Got>,
  received: () => JsonObject | undefined,
): Promise<Found> {
  const more: JsonObject = {
    stream: asks === 'streamed',
    ...(asks === 'streamed' && { stream_options: { include_usage: true } }),
    max_tokens: OUTPUT_TOKENS,
  }
  const plain = { ...plainRequest('openai-chat', asks === 'streamed'), ...more }
  if (!call.request) return { answer: answerDifferences(call, await ask(plain)), request: [] }
  const translated = inChatCompletions(call.format, call.request)
  if (!translated.ok)
    return {
      answer: answerDifferences(call, await ask(plain)),
      request: [`no words in chat completions for ${translated.field}`],
    }
  const { max_completion_tokens: _limit, ...body } = translated.body
  const got = await ask({ ...body, ...more })
  const sent = received()
  if (!sent)
    return { answer: answerDifferences(call, await ask(plain)), request: [`refused: ${refusalOf(got)}`] }
  return { answer: answerDifferences(call, got), request: requestDifferences(call.request, sent) }
}

/** As it was recorded, at the endpoint of its format. */
async function playInOwnFormat(
  call: RecordedCall,
  asks: Play['asks'],
  ask: (body: JsonObject) => Promise<Got>,
  received: () => JsonObject | undefined,
): Promise<Found> {
  const plain = plainRequest(call.format, asks === 'streamed')
  const got = await ask({ ...(call.request ?? plain), stream: asks === 'streamed' })
  const sent = received()
  if (sent) {
    const request = call.request ? requestDifferences(call.request, sent) : []
    return { answer: ownDifferences(call, got), request }
  }
  return { answer: ownDifferences(call, await ask(plain)), request: [`refused: ${refusalOf(got)}`] }
}

/** At the endpoint of its format, of a provider of another. */
async function playTranslated(
  call: RecordedCall,
  asks: Play['asks'],
  ask: (body: JsonObject) => Promise<Got>,
  received: () => JsonObject | undefined,
): Promise<Found> {
  const stream = asks === 'streamed'
  const plain = plainRequest(call.format, stream)
  const got = await ask({ ...(call.request ?? plain), stream })
  if (received()) return { answer: answerDifferences(call, got, call.format), request: leftOut(got) }
  return {
    answer: answerDifferences(call, await ask(plain), call.format),
    request: [`refused: ${refusalOf(got)}`],
  }
}

function leftOut({ dropped }: Got): string[] {
  return dropped.map((name) => `${fieldOf(name)} is left out`)
}

function formatOf(door: Door): WireFormatId | undefined {
  return typeof door === 'string' ? undefined : door.to
}

function refusalOf({ status, text }: Got): string {
  const body = parseJson(text)
  const error = isJsonObject(body) && isJsonObject(body['error']) ? body['error'] : {}
  const { code, param } = error
  return `${status} ${readText(code) ?? 'no code'}, ${fieldOf(readText(param) ?? 'no field')}`
}

/** A provider and a model for each play, so that no failure of one reaches another. */
function configOf(
  plays: readonly Play[],
  provider: RecordedProvider,
  format: WireFormatId | undefined,
): Record<string, unknown> {
  return {
    providers: Object.fromEntries(
      plays.map(({ call }, i) => {
        const baseUrl = provider.baseUrlOf(i)
        return [`provider-${i}`, format ? providerIn(format, baseUrl) : providerOf(call, baseUrl)]
      }),
    ),
    models: plays.map(({ call }, i) => ({
      id: `play-${i}`,
      display_name: `play ${i}`,
      owned_by: 'replay',
      category: 'chat',
      context_length: 10_000_000,
      max_output_tokens: OUTPUT_TOKENS,
      our_price: { input: 1, output: 1 },
      targets: [{ provider: `provider-${i}`, model: readText(call.request?.['model']) ?? 'recorded' }],
    })),
  }
}

function providerOf(
  { provider: vendor, format, answer }: RecordedCall,
  baseUrl: string,
): Record<string, unknown> {
  const row = knownProvider(vendor)
  return {
    ...(row?.wire === format ? { like: vendor } : { wire: format }),
    base_url: baseUrl,
    api_key: 'replay-secret',
    ...(answer.kind === 'whole' && { quirks: { streaming: 'never' } }),
  }
}

function playAt(plays: readonly Play[], at: number): Play {
  const play = plays[at]
  if (!play) throw new Error(`there is no play ${at}`)
  return play
}

function add(kinds: Map<string, Set<string>>, kind: string, file: string): void {
  const files = kinds.get(kind) ?? new Set()
  kinds.set(kind, files.add(file))
}
