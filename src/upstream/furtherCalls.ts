import type { ChatEvent } from '../core/chat/event.ts'
import { reportAfter } from '../core/chat/reportAfter.ts'
import type { ChatResponse } from '../core/chat/response.ts'
import { UpstreamError, type UpstreamFailure } from '../core/failure.ts'
import { NOTHING_REPORTED, type ReportedUsage, addUsage } from '../core/usage.ts'
import { FEWER_CHOICES, FewerChoices } from '../wire/fewerChoices.ts'
import type { EventListener, EventStream } from './eventStream.ts'

// A provider that takes `n` may answer with fewer choices: the others are made by further calls of one choice each.

/** Makes so many choices more, numbered from 0. Throws what keeps them from being made. */
export type Further<Answer> = (count: number) => Promise<Answer>

/** The whole answer, with the choices that are missing added. */
export async function completeWhole(
  answering: Promise<ChatResponse>,
  asked: number,
  further: Further<ChatResponse>,
): Promise<ChatResponse> {
  try {
    return await answering
  } catch (error) {
    if (!(error instanceof FewerChoices)) throw error
    const { choices, extra, usage } = error.response
    const rest = await further(asked - choices.length)
    const sum = usage && rest.usage && addUsage(usage, rest.usage)
    const others = rest.choices.map((choice) => ({ ...choice, index: choices.length + choice.index }))
    return { choices: [...choices, ...others], extra, ...(sum && { usage: sum }) }
  }
}

/** The same stream; where it ends with choices missing, it goes on with theirs. */
export function completeStream(
  first: EventStream,
  asked: number,
  further: Further<EventStream>,
): EventStream {
  let current = first
  let paused = false
  let aborted = false
  let finished = 0
  let usage: ReportedUsage | undefined

  function take(events: readonly ChatEvent[]): {
    readonly passed: readonly ChatEvent[]
    readonly fewer: boolean
  } {
    for (const event of events) {
      if (event.type === 'finish') finished += 1
      usage = reportAfter(usage, event)
    }
    const last = events.at(-1)
    const fewer = last?.type === 'error' && last.failure.code === FEWER_CHOICES
    return { passed: fewer ? events.slice(0, -1) : events, fewer }
  }

  function goOn(rest: EventStream, to: EventListener): void {
    if (aborted) return rest.abort()
    current = rest
    if (paused) rest.pause()
    const before = finished
    rest.consume({
      events: (events) => to.events(events.flatMap((event) => behind(event, before, usage))),
      done: to.done,
    })
  }

  return {
    consume(to) {
      let ends = true
      first.consume({
        events(events) {
          const { passed, fewer } = take(events)
          if (passed.length > 0) to.events(passed)
          if (!fewer) return
          ends = false
          // The report does not count the prompts of the further calls.
          to.events([{ type: 'usage', usage: NOTHING_REPORTED }])
          further(asked - finished).then(
            (rest) => goOn(rest, to),
            (error: unknown) => {
              if (aborted) return
              to.events([{ type: 'error', failure: failureOf(error) }])
              to.done()
            },
          )
        },
        done() {
          if (ends) to.done()
        },
      })
    },
    pause() {
      paused = true
      current.pause()
    },
    resume() {
      paused = false
      current.resume()
    },
    abort() {
      aborted = true
      current.abort()
    },
  }
}

/**
 * An event of the further choices: their numbers come after the first ones, and their usage is added. Where the first ones
 * reported none, none of all is known.
 */
function behind(event: ChatEvent, count: number, usage: ReportedUsage | undefined): ChatEvent[] {
  switch (event.type) {
    case 'delta':
    case 'finish':
      return [{ ...event, index: count + event.index }]
    case 'usage': {
      const more = reportAfter(undefined, event)
      return usage && more ? [{ type: 'usage', usage: addUsage(usage, more) }] : []
    }
    default:
      return [event]
  }
}

function failureOf(error: unknown): UpstreamFailure {
  if (error instanceof UpstreamError) return error.failure
  return { kind: 'invalid_answer', detail: `further choices could not be made: ${String(error)}` }
}
