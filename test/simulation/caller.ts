import { GatewayError } from '../../src/core/error.ts'
import { UpstreamError } from '../../src/core/failure.ts'
import type { RequestId } from '../../src/core/id.ts'
import type { Json } from '../../src/core/json.ts'
import { StoreUnavailable } from '../../src/core/ports/till.ts'
import { NO_ROOM_FOR_BODY } from '../../src/pipeline/authenticate/bodyBudget.ts'
import { chatIn } from '../../src/pipeline/chat/chat.ts'
import { pricedCall } from '../../src/pipeline/pricedCall.ts'
import type { Exchange } from '../../src/pipeline/reply.ts'
import { openAiChat } from '../../src/wire/openai-chat/openAiChat.ts'
import type { SeededRandom } from '../support/seededRandom.ts'
import type { Network } from './network.ts'
import { type ProcessNode, sha256 } from './processNode.ts'
import type { Asked } from './oracle.ts'
import type { VirtualTime } from './virtualTime.ts'

/** How a request ended for its caller. */
export type CallerView =
  | { readonly kind: 'open' }
  | { readonly kind: 'whole'; readonly body: string; readonly replayed: boolean }
  /** A stream up to `[DONE]`. */
  | { readonly kind: 'streamed'; readonly body: string }
  /** A stream that ended otherwise. */
  | { readonly kind: 'cut'; readonly body: string }
  | { readonly kind: 'refused'; readonly status: number; readonly code: string }
  /** The caller went away by itself. */
  | { readonly kind: 'left' }
  /** The process died. */
  | { readonly kind: 'lost' }

/** One request of a caller, from its own point of view. */
export interface CallerRequest {
  readonly number: number
  readonly id: RequestId
  readonly node: ProcessNode
  readonly secret: string
  readonly idempotencyKey: string | undefined
  readonly bodyText: string
  readonly asked: Asked
  readonly stream: boolean
  left: boolean
  /** Reads so late or so slowly that the gateway may take it for gone, above all when clocks jump. */
  dawdles: boolean
  view: CallerView
  leave(): void
}

export interface RequestOptions {
  readonly number: number
  readonly node: ProcessNode
  readonly secret: string
  readonly idempotencyKey: string | undefined
  /** A repetition of this text; absent: a request of its own. */
  readonly bodyText: string | undefined
  readonly random: SeededRandom
  readonly time: VirtualTime
  readonly network: Network
  readonly models: readonly [string, ...string[]]
  readonly onBug: (what: string, cause: unknown) => void
}

const CHAT = chatIn(openAiChat)

interface Body {
  readonly model: string
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  readonly n?: number
  readonly max_tokens?: number
  readonly stream?: boolean
}

/** Sends a chat request to a process and lives through its answer, politely or not. */
export function sendRequest(options: RequestOptions): CallerRequest {
  const { number, node, secret, idempotencyKey, random, time, network, onBug } = options
  const bodyText = options.bodyText ?? JSON.stringify(bodyFor(options))
  const body = JSON.parse(bodyText) as Body
  const controller = new AbortController()
  const exchange: Exchange = {
    id: node.pipeline.ids.request('chatcmpl-'),
    rate: undefined,
    headers: {},
    caller: undefined,
    model: undefined,
    holds: false,
  }
  const request: CallerRequest = {
    number,
    id: exchange.id,
    node,
    secret,
    idempotencyKey,
    bodyText,
    asked: {
      model: body.model,
      messages: body.messages,
      choices: body.n ?? 1,
      maxTokens: body.max_tokens,
      startedAt: time.now(),
    },
    stream: body.stream === true,
    left: false,
    dawdles: false,
    view: { kind: 'open' },
    leave() {
      if (request.view.kind !== 'open') return
      request.left = true
      controller.abort()
    },
  }

  network.during(number, live).catch((error: unknown) => {
    if (!node.isAlive) return
    if (request.left && (error instanceof GatewayError || error instanceof UpstreamError)) {
      request.view = { kind: 'left' }
    } else if (error instanceof GatewayError) {
      request.view = { kind: 'refused', status: error.status, code: error.refusal.code }
    } else if (error instanceof StoreUnavailable) {
      request.view = { kind: 'refused', status: 503, code: 'service_unavailable' }
    } else {
      onBug(`request ${number}`, error)
    }
  })

  async function live(): Promise<void> {
    const reply = await pricedCall(
      CHAT,
      exchange,
      {
        credentials: { authorization: `Bearer ${secret}`, apiKey: null },
        headers: new Headers(),
        idempotencyKey: idempotencyKey ?? null,
        bodyBytes: random.chance(0.9) ? bodyText.length : undefined,
        body: ({ take }) =>
          Promise.resolve(
            take(bodyText.length)
              ? {
                  ok: true,
                  json: JSON.parse(bodyText) as Json,
                  bytes: bodyText.length,
                  hash: sha256(bodyText),
                }
              : { ok: false, refusal: NO_ROOM_FOR_BODY },
          ),
        signal: controller.signal,
      },
      node.pipeline,
    )
    if (!node.isAlive) return
    if (reply.kind === 'whole') {
      const replayed = exchange.headers['idempotent-replayed'] === 'true'
      request.view = request.left ? { kind: 'left' } : { kind: 'whole', body: reply.body, replayed }
      return
    }
    const start = random.weighted([
      [30, 0],
      [2, random.integer(1, 20_000)],
      [1, Number.POSITIVE_INFINITY],
    ])
    if (start === Number.POSITIVE_INFINITY) {
      // Nobody ever reads: the gateway must notice by itself.
      request.left = true
      request.view = { kind: 'left' }
      return
    }
    const slow = random.chance(0.15)
    request.dawdles = start > 0 || slow
    if (start > 0) await time.sleep(start)
    if (!node.isAlive) return
    let text = ''
    await reply.body.start({
      write(piece) {
        if (!node.isAlive) return undefined
        text += piece
        return slow && random.chance(0.3) ? time.sleep(random.integer(1, 3_000)) : undefined
      },
      end: () => undefined,
    })
    if (!node.isAlive) return
    if (request.left) request.view = { kind: 'left' }
    else request.view = { kind: text.endsWith('data: [DONE]\n\n') ? 'streamed' : 'cut', body: text }
  }

  return request
}

function bodyFor({ number, random, models }: RequestOptions): Record<string, unknown> {
  const length = random.weighted([
    [8, random.integer(0, 60)],
    [2, random.integer(60, 1_500)],
  ])
  const content = `request ${number}: ${'what is the price of bread '.repeat(60).slice(0, length)}`
  const messages = [{ role: 'user', content }]
  if (random.chance(0.3)) messages.unshift({ role: 'system', content: 'Be brief.' })
  const n = random.weighted([
    [12, 1],
    [2, 2],
    [1, 3],
  ])
  const maxTokens = random.weighted([
    [5, undefined],
    [3, random.integer(1, 60)],
    [1, random.integer(60, 3_000)],
  ])
  return {
    model: random.pick(models),
    messages,
    ...(random.chance(0.5) && { stream: true }),
    ...(random.chance(0.2) && { stream_options: { include_usage: true } }),
    ...(n > 1 && { n }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
  }
}
