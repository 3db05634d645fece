import type { ChatEvent } from '../core/chat/event.ts'
import { hasText } from '../core/chat/hasText.ts'
import type { ChatRequest } from '../core/chat/request.ts'
import type { ChatResponse } from '../core/chat/response.ts'
import { UpstreamError } from '../core/failure.ts'
import { type ReportedUsage, addUsage } from '../core/usage.ts'
import type { EventListener, EventStream } from './eventStream.ts'
import type { Route } from './route.ts'

/**
 * How many calls make the request's `n` choices on this route: one if the provider takes `n`. Only this decides it: a
 * codec sends the `n` that it is given.
 */
export function callsFor(request: ChatRequest, { format, provider }: Route): number {
  if (request.n === 1) return 1
  const takesN = provider.provider.quirks.supportsN ?? format.choices === 'n'
  return takesN ? 1 : request.n
}

/**
 * Joins answers of one choice each into one answer of many; usage is summed, unknown if any is. Throws `UpstreamError`
 * if an answer has no choice: the caller must not get fewer choices than it asked for.
 */
export function joinResponses(responses: readonly ChatResponse[]): ChatResponse {
  const choices = responses.map(({ choices: [choice] }, index) => {
    if (choice) return { ...choice, index }
    throw new UpstreamError({
      kind: 'invalid_answer',
      detail: 'one of several calls answered without a choice',
    })
  })
  const usage = sumUsage(responses.map((response) => response.usage))
  return { choices, extra: responses[0]?.extra ?? {}, ...(usage && { usage }) }
}

/**
 * Joins streams of one choice each: the call's ordinal becomes the choice's `index`. The first error
 * ends all of them. Usage is held back until every call has told its own.
 */
export function joinStreams(streams: readonly EventStream[]): EventStream {
  const usages: (ReportedUsage | undefined)[] = streams.map(() => undefined)
  let open = streams.length

  function abort(): void {
    for (const stream of streams) stream.abort()
  }

  /** As soon as all have told it, and again when one corrects itself: not every stream comes to its end. */
  function tellUsage(index: number, usage: ReportedUsage): ChatEvent[] {
    usages[index] = usage
    const sum = sumUsage(usages)
    return sum ? [{ type: 'usage', usage: sum }] : []
  }

  return {
    consume(listener) {
      for (const [index, stream] of streams.entries()) stream.consume(listenerFor(index, listener))
    },
    pause() {
      for (const stream of streams) stream.pause()
    },
    resume() {
      for (const stream of streams) stream.resume()
    },
    abort,
  }

  function listenerFor(index: number, listener: EventListener): EventListener {
    return {
      events(events) {
        if (open <= 0) return
        const own: ChatEvent[] = []
        for (const event of events) {
          // A report does not speak of what its own call says after it.
          if (event.type === 'delta' && hasText(event.delta)) usages[index] = undefined
          if (event.type === 'usage') own.push(...tellUsage(index, event.usage))
          else own.push(withIndex(event, index))
        }
        if (own.length > 0) listener.events(own)
        if (own.at(-1)?.type === 'error') {
          open = 0
          abort()
          listener.done()
        }
      },
      done() {
        if (open <= 0) return
        open -= 1
        if (open === 0) listener.done()
      },
    }
  }
}

function withIndex(event: ChatEvent, index: number): ChatEvent {
  return event.type === 'delta' || event.type === 'finish' ? { ...event, index } : event
}

function sumUsage(usages: readonly (ReportedUsage | undefined)[]): ReportedUsage | undefined {
  let sum: ReportedUsage | undefined
  for (const usage of usages) {
    if (!usage) return undefined
    sum = sum ? addUsage(sum, usage) : usage
  }
  return sum
}
