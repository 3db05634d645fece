import type { WholeAnswer } from '../../core/answer/wholeAnswer.ts'
import type { ChatRequest, Message } from '../../core/chat/request.ts'
import { isJsonObject, type Json } from '../../core/json.ts'
import type { CallOptions } from '../../upstream/send.ts'
import { inputOf } from '../../wire/openai-responses/references.ts'
import { readText } from '../../wire/read.ts'
import { attemptChat } from '../chat/attempt.ts'
import type { PricedEndpoint } from '../priced.ts'

/** Asks a target, without the encrypted reasoning that it cannot read. All that is left out of kept answers is named. */
export const attempt: PricedEndpoint<ChatRequest, WholeAnswer>['attempt'] = (request, terms) => {
  const fitting = forMaker(request, terms.options)
  const leftOut = [...(request.leftOut ?? []), ...(fitting ? [LEFT_OUT] : [])]
  if (leftOut.length === 0) return attemptChat(request, terms)
  const { options } = terms
  const onDropped = (fields: readonly string[]): void => options.onDropped([...fields, ...leftOut])
  return attemptChat(fitting ?? request, { ...terms, options: { ...options, onDropped } })
}

const LEFT_OUT = 'messages.reasoning_details'

/**
 * The request without the encrypted reasoning that another target, or another account of it, has made: only its maker can read
 * it, and others refuse it.
 *
 * @returns undefined where nothing has to go
 */
function forMaker(
  request: ChatRequest,
  { route, credential }: Pick<CallOptions, 'route' | 'credential'>,
): ChatRequest | undefined {
  const { makers } = request
  if (makers === undefined) return undefined
  const isForeign = (secret: string | undefined): boolean => {
    const madeBy = secret === undefined ? undefined : makers.get(secret)
    if (madeBy === undefined) return false
    const isHere =
      madeBy.provider === route.provider.name &&
      madeBy.upstreamModel === route.target.upstreamModel &&
      madeBy.credential === (credential?.name ?? '')
    return !isHere
  }
  const isForeignDetail = (detail: { readonly data?: string }): boolean => isForeign(detail.data)
  if (!request.messages.some(({ reasoning_details: details }) => details?.some(isForeignDetail)))
    return undefined
  return {
    ...request,
    messages: request.messages.map((message): Message => {
      const { reasoning_details: details, ...rest } = message
      if (!details?.some(isForeignDetail)) return message
      const left = details.filter((detail) => !isForeignDetail(detail))
      return left.length > 0 ? { ...rest, reasoning_details: left } : spoken(rest)
    }),
    ...(request.source && { source: withoutSecrets(request.source, isForeign) }),
  }
}

/** A message that holds nothing is one of an empty text: providers refuse one that has neither content nor calls. */
function spoken(message: Message): Message {
  const { content, tool_calls: calls, refusal } = message
  const saysNothing = (content ?? null) === null && !calls?.length && !refusal
  return saysNothing ? { ...message, content: '' } : message
}

function withoutSecrets(
  source: NonNullable<ChatRequest['source']>,
  isForeign: (secret: string | undefined) => boolean,
): NonNullable<ChatRequest['source']> {
  const isForeignItem = (item: Json): boolean =>
    isJsonObject(item) && isForeign(readText(item.encrypted_content))
  const input = inputOf(source.body).filter((item) => !isForeignItem(item))
  return { ...source, body: { ...source.body, input } }
}
