import type { WholeAnswer } from '../../core/answer/wholeAnswer.ts'
import type { ChatRequest } from '../../core/chat/request.ts'
import { UpstreamError } from '../../core/failure.ts'
import { callStream, callWhole } from '../../upstream/call.ts'
import type { EventStream } from '../../upstream/eventStream.ts'
import { callAllStreams, callAllWhole, callsFor } from '../../upstream/fanOut.ts'
import { appendChoices, completeStream, completeWhole } from '../../upstream/furtherCalls.ts'
import { CallAborted } from '../../upstream/http.ts'
import { withScopedIds } from '../../upstream/scopedIds.ts'
import type { AnswerMode } from '../../upstream/router.ts'
import type { CallOptions } from '../../upstream/send.ts'
import type { Produced } from '../dispatch/answer.ts'
import type { AttemptTerms, ForChoices } from '../dispatch/attemptTerms.ts'

/** Asks a target for an answer: with one call, or with several where it takes no `n`, or gives fewer choices. */
export function attemptChat(
  request: ChatRequest,
  { mode, limit, options, forChoices }: AttemptTerms,
): Promise<Produced<WholeAnswer>> {
  const scoped = withScopedIds(request, options.workspaceId)
  const limited = limit === undefined ? scoped : { ...scoped, maxTokens: limit }
  return request.n === 1
    ? callOnce(limited, mode, options)
    : callForChoices(limited, mode, options, forChoices())
}

async function callOnce(
  request: ChatRequest,
  mode: AnswerMode,
  options: CallOptions,
): Promise<Produced<WholeAnswer>> {
  return mode === 'whole'
    ? { kind: 'whole', response: await callWhole(request, options) }
    : { kind: 'stream', stream: await callStream(request, options) }
}

/** One call for several choices, or several calls for one each. */
async function callForChoices(
  request: ChatRequest,
  mode: AnswerMode,
  options: CallOptions,
  together: ForChoices,
): Promise<Produced<WholeAnswer>> {
  const { onRefused, onPart, pays } = together
  const single = { ...request, n: 1 }
  const manyWhole = (count: number, first?: WholeAnswer): Promise<WholeAnswer> =>
    callAllWhole(
      { ...together, count },
      (signal) => unlessRefused(callWhole, single, { ...options, signal }, onRefused),
      (part) => onPart(first ? appendChoices(first, part) : part),
    )
  const manyStreams = (count: number, patienceMs?: number): Promise<EventStream> =>
    callAllStreams(
      { ...together, count },
      (signal) => unlessRefused(callStream, single, { ...options, signal }, onRefused),
      { onPart, ...(patienceMs !== undefined && { patienceMs }) },
    )
  const count = callsFor(request, options.route)
  if (count > 1) {
    return mode === 'whole'
      ? { kind: 'whole', response: await manyWhole(count) }
      : { kind: 'stream', stream: await manyStreams(count) }
  }
  if (mode === 'whole') {
    const answering = callWhole(request, options)
    const response = await completeWhole(answering, request.n, async (missing, first) => {
      onPart({ ...first, ...(first.usage && { usage: { ...first.usage, lacks: 'calls' } }) })
      return (await pays(missing)) ? manyWhole(missing, first) : undefined
    })
    return { kind: 'whole', response }
  }
  const stream = await callStream(request, options)
  const further = async (missing: number): Promise<EventStream | undefined> =>
    // Their caller has the first choice: no other target could take over.
    (await pays(missing)) ? manyStreams(missing, 0) : undefined
  return { kind: 'stream', stream: completeStream(stream, request.n, further) }
}

/** Makes one of several calls. */
async function unlessRefused<Result>(
  make: (request: ChatRequest, options: CallOptions) => Promise<Result>,
  request: ChatRequest,
  options: CallOptions,
  onRefused: () => void,
): Promise<Result> {
  let wasSent = false
  try {
    return await make(request, {
      ...options,
      onSent(bodyBytes) {
        wasSent = true
        options.onSent(bodyBytes)
      },
    })
  } catch (error) {
    if (wasSent && error instanceof UpstreamError && !(error instanceof CallAborted)) onRefused()
    throw error
  }
}
