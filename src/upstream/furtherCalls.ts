import type { AnswerEvent } from '../core/answer/event.ts'
import { reportAfter } from '../core/answer/reportAfter.ts'
import type { WholeAnswer, Choice } from '../core/answer/wholeAnswer.ts'
import { type ReportedUsage, sumUsage } from '../core/usage.ts'
import { FEWER_CHOICES, FewerChoices } from '../wire/fewerChoices.ts'
import type { EventListener, EventStream } from './eventStream.ts'
import { afterOthers, failureAfterOthers } from './fanOut.ts'
import { CallAborted } from './http.ts'

// A provider that takes `n` may answer with fewer choices: the others are made by further calls of one choice each.

/**
 * Makes so many choices more, numbered from 0; undefined where the caller's money does not pay for their prompts. Throws what
 * keeps them from being made.
 */
export type Further<Answer> = (count: number) => Promise<Answer | undefined>

/**
 * The whole answer, with the choices that are missing added. Choices that are not paid for are empty and end with `length`.
 *
 * @param further gets the part of the answer that is in hand, too
 */
export async function completeWhole(
  answering: Promise<WholeAnswer>,
  asked: number,
  further: (count: number, first: WholeAnswer) => Promise<WholeAnswer | undefined>,
): Promise<WholeAnswer> {
  try {
    return await answering
  } catch (error) {
    if (!(error instanceof FewerChoices)) throw error
    const first = error.response
    const missing = asked - first.choices.length
    const rest = await further(missing, first)
    return rest
      ? appendChoices(first, rest)
      : { ...first, choices: [...first.choices, ...unpaidChoices(first, missing)] }
  }
}

/** Both answers as one: the choices of the second are numbered after those of the first. */
export function appendChoices(first: WholeAnswer, rest: WholeAnswer): WholeAnswer {
  const usage = sumUsage([first.usage, rest.usage])
  const others = rest.choices.map((choice) => ({ ...choice, index: first.choices.length + choice.index }))
  return { choices: [...first.choices, ...others], extra: first.extra, ...(usage && { usage }) }
}

function unpaidChoices({ choices }: WholeAnswer, count: number): Choice[] {
  return Array.from({ length: count }, (_, ordinal) => ({
    index: choices.length + ordinal,
    message: { role: 'assistant', content: '' },
    finishReason: 'length',
  }))
}

/** The same stream; where it ends with choices missing, it goes on with theirs, or ends them with `length`. */
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

  function take(events: readonly AnswerEvent[]): {
    readonly passed: readonly AnswerEvent[]
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
      events: (events) => to.events(events.map((event) => behind(event, before, usage))),
      done: to.done,
    })
  }

  function endUnpaid(to: EventListener): void {
    if (aborted) return
    const events: AnswerEvent[] = reportOfFirst()
    for (let index = finished; index < asked; index++)
      events.push({ type: 'finish', index, reason: 'length' })
    to.events(events)
    to.done()
  }

  /** No further call counts: the report has all. */
  function reportOfFirst(): AnswerEvent[] {
    return usage ? [{ type: 'usage', usage }] : []
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
          // The report does not count the prompts of the further calls, which are made from here on.
          if (usage) to.events([{ type: 'usage', usage: { ...usage, lacks: 'calls' } }])
          further(asked - finished).then(
            (rest) => (rest ? goOn(rest, to) : endUnpaid(to)),
            (error: unknown) => {
              if (aborted) return
              // Calls that failed are not paid for; those that their caller has left are.
              const report = error instanceof CallAborted ? [] : reportOfFirst()
              to.events([...report, { type: 'error', failure: failureAfterOthers(error) }])
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

/** An event of the further choices: their numbers come after the first ones, and the usage of these is added. */
function behind(event: AnswerEvent, count: number, usage: ReportedUsage | undefined): AnswerEvent {
  switch (event.type) {
    case 'delta':
    case 'finish':
      return { ...event, index: count + event.index }
    case 'usage':
      return { type: 'usage', usage: sumUsage([usage, event.usage]) ?? event.usage }
    case 'error':
      return { type: 'error', failure: afterOthers(event.failure) }
    case 'start':
      return event
  }
}
