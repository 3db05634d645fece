import type { JsonObject } from '../../../src/core/json.ts'
import type { GatewayProcess, ProcessCustomer } from '../../support/processWorld.ts'
import { chatHead, rawCaller } from '../../support/rawCaller.ts'
import { isWhole } from '../load.ts'
import type { Greed, Manner } from './greed.ts'
import type { Receipts } from './receipts.ts'

/** What one caller got. */
export interface Heard {
  /** 0: nothing, for it left or its connection broke. */
  readonly status: number
  readonly id: string
  readonly text: string
  /** It came to its end and says so. */
  readonly whole: boolean
  readonly replayed: boolean
  /** When the tightest window ends, in Unix seconds. */
  readonly reset: string
}

/** A call on its way: whose it is, what it asks, and how to know that its provider was asked. */
export interface Sending {
  readonly greed: Greed
  readonly mark: string
  readonly customer: ProcessCustomer
  readonly gateway: GatewayProcess
  readonly idempotencyKey?: string
  /** Resolves when the provider has it. */
  readonly asked: Promise<void>
  readonly receipts: Receipts | undefined
}

const NOTHING: Heard = { status: 0, id: '', text: '', whole: false, replayed: false, reset: '' }

/** The body of a call; its mark stands in the prompt for the provider, and in `user` for the record. */
export function bodyOf({ greed, mark }: Pick<Sending, 'greed' | 'mark'>): JsonObject {
  const messages = [...(greed.messages ?? []), { role: 'user', content: `Answer ${mark}` }]
  return { model: greed.model.id, ...greed.body, messages, user: mark }
}

/** Sends a call in its manner, and reads what comes. */
export async function send(sending: Sending): Promise<Heard> {
  const text = JSON.stringify(bodyOf(sending))
  const { manner } = sending.greed
  switch (manner.kind) {
    case 'plain':
      return post(sending, text)
    case 'trickle':
      return post(sending, trickled(text, manner))
    case 'leaves_body':
      return leaveInBody(sending, text, manner.share)
    case 'leaves_asked': {
      const leaving = new AbortController()
      void sending.asked.then(() => leaving.abort())
      return post(sending, text, leaving)
    }
    case 'leaves_answer':
      return post(sending, text, new AbortController(), manner.bytes)
  }
}

async function post(
  { gateway, customer, idempotencyKey, greed, receipts }: Sending,
  body: string | ReadableStream<Uint8Array>,
  leaving = new AbortController(),
  bytesMax = Number.POSITIVE_INFINITY,
): Promise<Heard> {
  try {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${customer.secret}`,
        'content-type': 'application/json',
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      body,
      signal: leaving.signal,
      keepalive: false,
    })
    const head = headOf(response)
    try {
      const text = await readUpTo(response, bytesMax, leaving, receipts)
      const whole = response.status === 200 && isWhole(text, greed.body['stream'] === true)
      return { ...head, text, whole }
    } catch {
      return head
    }
  } catch {
    // It left, or was refused before it had sent its body.
    return NOTHING
  }
}

function headOf({ status, headers }: Response): Heard {
  return {
    ...NOTHING,
    status,
    id: headers.get('x-request-id') ?? '',
    replayed: headers.get('idempotent-replayed') === 'true',
    reset: headers.get('x-ratelimit-reset') ?? '',
  }
}

async function readUpTo(
  response: Response,
  bytesMax: number,
  leaving: AbortController,
  receipts: Receipts | undefined,
): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const piece of response.body ?? []) {
    const read = decoder.decode(piece, { stream: true })
    text += read
    receipts?.read(read)
    bytes += piece.length
    if (bytes > bytesMax) leaving.abort()
  }
  return text
}

function trickled(text: string, { pieces, pauseMs }: Manner & { kind: 'trickle' }) {
  const bytes = Buffer.from(text)
  const each = Math.ceil(bytes.length / pieces)
  let at = 0
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (at > 0) await Bun.sleep(pauseMs)
      controller.enqueue(bytes.subarray(at, at + each))
      at += each
      if (at >= bytes.length) controller.close()
    },
  })
}

async function leaveInBody({ gateway, customer }: Sending, text: string, share: number): Promise<Heard> {
  const bytes = Buffer.from(text)
  const caller = await rawCaller(Number(new URL(gateway.url).port))
  caller.write(chatHead(customer.secret, bytes.length))
  caller.write(bytes.subarray(0, Math.floor(share * bytes.length)).toString())
  // Its bytes are on their way before its end is.
  await new Promise((resolve) => setImmediate(resolve))
  caller.close()
  return NOTHING
}
