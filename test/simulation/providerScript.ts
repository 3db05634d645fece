import type { JsonObject } from '../../src/core/json.ts'
import type { SeededRandom } from '../support/seededRandom.ts'
import type { ShopModel } from './shop.ts'

/** What a piece of an answer means, for the oracle: it believes this and never reads the bytes. */
export type Meaning =
  | { readonly kind: 'text'; readonly index: number; readonly text: string }
  | { readonly kind: 'finish'; readonly index: number; readonly reason: string }
  | { readonly kind: 'usage'; readonly usage: JsonObject }
  | { readonly kind: 'done' }
  /** An error in the stream, or bytes that are no event. */
  | { readonly kind: 'broken' }
  | { readonly kind: 'nothing' }

/** One piece of an answer and how long the provider takes for it. */
export interface Piece {
  readonly afterMs: number
  readonly text: string
  readonly meanings: readonly Meaning[]
}

/** What a provider does with one request. */
export type ProviderScript =
  | { readonly kind: 'refuses_connection'; readonly afterMs: number }
  | { readonly kind: 'never_connects' }
  /** Takes the request and drops the connection before it answers. */
  | { readonly kind: 'drops'; readonly afterMs: number }
  | { readonly kind: 'never_answers' }
  | {
      readonly kind: 'answers'
      readonly afterMs: number
      readonly status: number
      readonly headers: ReadonlyMap<string, string>
      readonly pieces: readonly Piece[]
      readonly ending: 'end' | 'reset' | 'silence'
    }

export interface AskedFor {
  readonly stream: boolean
  readonly choices: number
  readonly promptCharacters: number
}

type Random = SeededRandom

/** What the provider will do with a request: mostly well, often not. */
export function scriptFor(random: Random, asked: AskedFor, model: ShopModel): ProviderScript {
  const afterMs = random.weighted([
    [8, random.integer(0, 300)],
    [1, random.integer(300, 9_000)],
  ])
  return random.weighted<() => ProviderScript>([
    [80, () => answer(random, asked, model, afterMs)],
    [8, () => errorAnswer(random, afterMs)],
    [2, () => ({ kind: 'refuses_connection', afterMs })],
    [1, () => ({ kind: 'never_connects' })],
    [2, () => ({ kind: 'drops', afterMs })],
    [1, () => ({ kind: 'never_answers' })],
    [3, () => nonsense(random, afterMs)],
  ])()
}

function errorAnswer(random: Random, afterMs: number): ProviderScript {
  const status = random.pick([400, 401, 402, 403, 404, 408, 413, 422, 429, 429, 500, 502, 503, 529])
  const headers = new Map([['content-type', 'application/json']])
  if (status === 429 && random.chance(0.5)) headers.set('retry-after', String(random.integer(0, 40)))
  const body = JSON.stringify({ error: { message: 'scripted failure', type: 'scripted', code: null } })
  const pieces = [{ afterMs: random.integer(0, 50), text: body, meanings: [] }]
  return { kind: 'answers', afterMs, status, headers, pieces, ending: random.chance(0.9) ? 'end' : 'reset' }
}

const NONSENSE: readonly [string, ...string[]] = [
  '<html><body>502 Bad Gateway</body></html>',
  '{"error":{"message":"overloaded","type":"server_error"}}',
  '{"choices":[]}',
  '{"choices":[{"index":0,"message":',
  'data: {"error":{"message":"no capacity","type":"server_error"}}\n\n',
  'data: [DONE]\n\n',
  ': keep-alive\n\n',
  '',
]

/** A 200 that is no answer. */
function nonsense(random: Random, afterMs: number): ProviderScript {
  const text = random.pick(NONSENSE)
  const type = text.startsWith('{')
    ? 'application/json'
    : text.startsWith('<')
      ? 'text/html'
      : 'text/event-stream'
  const pieces: Piece[] = [{ afterMs: random.integer(0, 50), text, meanings: [{ kind: 'broken' }] }]
  return {
    kind: 'answers',
    afterMs,
    status: 200,
    headers: new Map([['content-type', type]]),
    pieces,
    ending: 'end',
  }
}

function answer(random: Random, asked: AskedFor, model: ShopModel, afterMs: number): ProviderScript {
  const texts = Array.from({ length: asked.choices }, () => textsOf(random))
  const reasons = texts.map(() =>
    random.weighted([
      [8, 'stop'],
      [2, 'length'],
      [1, 'content_filter'],
    ]),
  )
  const characters = texts.flat().reduce((sum, text) => sum + text.length, 0)
  const usages = usagesOf(random, asked, model, characters)
  return asked.stream
    ? streamedAnswer(random, afterMs, texts, reasons, usages)
    : wholeAnswer(random, afterMs, texts, reasons, usages.at(-1))
}

/** Mostly short, now and then one that runs far past every hold. */
function textsOf(random: Random): string[] {
  const [count, length] = random.weighted([
    [6, [random.integer(1, 8), 12]],
    [2, [random.integer(5, 30), 40]],
    [1, [random.integer(20, 60), 120]],
    [0.3, [0, 0]],
  ])
  return Array.from({ length: count }, () => 'lorem ipsum '.repeat(12).slice(0, random.integer(1, length)))
}

/** What the provider reports, in order; it may report nothing, repeat itself, or lie. */
function usagesOf(random: Random, asked: AskedFor, model: ShopModel, characters: number): JsonObject[] {
  const prompt = Math.max(1, Math.ceil(asked.promptCharacters / 3.5))
  const output = Math.min(Math.ceil(characters / 3.7), model.maxOutputTokens * asked.choices)
  const honest = usageOf(prompt, output)
  const cached = random.integer(0, prompt)
  const written = random.integer(0, prompt - cached)
  const detailed = {
    ...honest,
    prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
    completion_tokens_details: { reasoning_tokens: random.integer(0, output) },
  }
  const { total_tokens: _, ...totalless } = honest
  const { completion_tokens: __, ...completionless } = honest
  return random.weighted<JsonObject[]>([
    [30, [honest]],
    [20, [detailed]],
    [8, []],
    [4, [usageOf(prompt, 1), usageOf(prompt, 2), honest]],
    [3, [honest, honest]],
    [2, [usageOf(0, 0)]],
    [2, [usageOf(-prompt, output)]],
    [2, [usageOf(prompt, -output - 1)]],
    [2, [usageOf(prompt + 0.5, output)]],
    [2, [usageOf(prompt, 1e15)]],
    [2, [usageOf(model.contextLength + 1, output)]],
    [2, [usageOf(random.integer(prompt, model.contextLength), model.maxOutputTokens * asked.choices)]],
    [2, [usageOf(prompt, model.maxOutputTokens * asked.choices + 1)]],
    [2, [{ ...honest, prompt_tokens_details: { cached_tokens: prompt + 1 } }]],
    [2, [{ ...honest, completion_tokens_details: { reasoning_tokens: output + 1 } }]],
    [2, [{ ...honest, total_tokens: 7 }]],
    [1, [totalless]],
    [1, [completionless]],
    [1, [{ prompt_tokens: String(prompt), completion_tokens: String(output) }]],
    [1, [{ input: prompt }]],
  ])
}

function usageOf(prompt: number, completion: number): JsonObject {
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
}

function wholeAnswer(
  random: Random,
  afterMs: number,
  texts: readonly string[][],
  reasons: readonly string[],
  usage: JsonObject | undefined,
): ProviderScript {
  const body = JSON.stringify({
    ...IDENTITY,
    object: 'chat.completion',
    choices: texts.map((pieces, index) => ({
      index,
      message: { role: 'assistant', content: pieces.join('') },
      finish_reason: reasons[index] ?? 'stop',
    })),
    ...(usage && { usage }),
  })
  const meanings: Meaning[] = [
    ...texts.map((pieces, index): Meaning => ({ kind: 'text', index, text: pieces.join('') })),
    ...reasons.map((reason, index): Meaning => ({ kind: 'finish', index, reason })),
    ...(usage ? [{ kind: 'usage', usage } as const] : []),
  ]
  const cut = random.chance(0.06) ? random.integer(0, body.length - 1) : undefined
  const half = Math.floor(body.length / 2)
  const pieces: Piece[] =
    cut === undefined
      ? [
          { afterMs: random.integer(0, 100), text: body.slice(0, half), meanings: [] },
          { afterMs: paceOf(random), text: body.slice(half), meanings },
        ]
      : [{ afterMs: random.integer(0, 100), text: body.slice(0, cut), meanings: [{ kind: 'broken' }] }]
  const ending =
    cut === undefined ? 'end' : random.pick<'end' | 'reset' | 'silence'>(['end', 'reset', 'silence'])
  return {
    kind: 'answers',
    afterMs,
    status: 200,
    headers: new Map([['content-type', 'application/json']]),
    pieces,
    ending,
  }
}

function streamedAnswer(
  random: Random,
  afterMs: number,
  texts: readonly string[][],
  reasons: readonly string[],
  usages: readonly JsonObject[],
): ProviderScript {
  const pieces: Piece[] = []
  const say = (body: JsonObject, ...meanings: Meaning[]): void => {
    const spaced = random.chance(0.1)
      ? `: comment\n\ndata: ${JSON.stringify(body)}\r\n\r\n`
      : `data: ${JSON.stringify(body)}\n\n`
    pieces.push({ afterMs: paceOf(random), text: spaced, meanings })
  }
  const chunk = (index: number, delta: JsonObject, reason: string | null = null): JsonObject => ({
    ...IDENTITY,
    object: 'chat.completion.chunk',
    choices: [{ index, delta, finish_reason: reason }],
  })

  for (const index of texts.keys()) say(chunk(index, { role: 'assistant', content: '' }), { kind: 'nothing' })
  // Some report at the beginning, and then hardly anything; some with every piece.
  const early = random.weighted([
    [20, 'never'],
    [1, 'first'],
    [1, 'always'],
  ])
  let told = 0
  const report = (): void => {
    const usage = usageOf(1 + (usages.length > 0 ? 10 : 0), 1 + told)
    say({ ...IDENTITY, object: 'chat.completion.chunk', choices: [], usage }, { kind: 'usage', usage })
  }
  if (early === 'first') report()
  const longest = Math.max(...texts.map(({ length }) => length))
  for (let turn = 0; turn < longest; turn++) {
    for (const [index, parts] of texts.entries()) {
      const text = parts[turn]
      if (text === undefined) continue
      say(chunk(index, { content: text }), { kind: 'text', index, text })
      told += Math.ceil(text.length / 3.7)
      if (early === 'always') report()
    }
  }
  const produced = pieces.length
  for (const [index, reason] of reasons.entries())
    say(chunk(index, {}, reason), { kind: 'finish', index, reason })
  for (const usage of usages) {
    say({ ...IDENTITY, object: 'chat.completion.chunk', choices: [], usage }, { kind: 'usage', usage })
  }
  pieces.push({ afterMs: paceOf(random), text: 'data: [DONE]\n\n', meanings: [{ kind: 'done' }] })
  if (random.chance(0.03)) {
    const usage = usageOf(1, 1)
    say({ ...IDENTITY, object: 'chat.completion.chunk', choices: [], usage }, { kind: 'usage', usage })
  }
  return {
    kind: 'answers',
    afterMs,
    status: 200,
    headers: new Map([['content-type', 'text/event-stream']]),
    ...spoilt(random, pieces, produced),
  }
}

/** The stream as it comes: whole, cut anywhere, with an error in it, or silent from some point on. */
function spoilt(
  random: Random,
  pieces: readonly Piece[],
  produced: number,
): { pieces: readonly Piece[]; ending: 'end' | 'reset' | 'silence' } {
  const somewhere = random.integer(0, pieces.length - 1)
  const error: Piece = {
    afterMs: 10,
    text: 'data: {"error":{"message":"scripted failure","type":"server_error"}}\n\n',
    meanings: [{ kind: 'broken' }],
  }
  const garbage: Piece = { afterMs: 10, text: 'data: {"choices":[{"ind\n\n', meanings: [{ kind: 'broken' }] }
  return random.weighted<{ pieces: readonly Piece[]; ending: 'end' | 'reset' | 'silence' }>([
    [80, { pieces, ending: 'end' }],
    [4, { pieces: pieces.slice(0, somewhere), ending: random.pick(['end', 'reset']) }],
    [2, { pieces: pieces.slice(0, somewhere), ending: 'silence' }],
    [2, { pieces: [...pieces.slice(0, somewhere), error], ending: random.pick(['end', 'silence']) }],
    [2, { pieces: [...pieces.slice(0, somewhere), garbage, ...pieces.slice(somewhere)], ending: 'end' }],
    // No choice finishes, and yet it ends as if all were well: which it is where usage was reported last.
    [2, { pieces: [...pieces.slice(0, produced), ...pieces.slice(-1)], ending: 'end' }],
    [3, { pieces, ending: random.pick(['reset', 'silence']) }],
  ])
}

function paceOf(random: Random): number {
  return random.weighted([
    [20, 0],
    [20, random.integer(1, 60)],
    [2, random.integer(60, 1_500)],
    [0.3, random.integer(1_500, 18_000)],
  ])
}

const IDENTITY = { id: 'chatcmpl-scripted', created: 1_700_000_000, model: 'scripted' }
