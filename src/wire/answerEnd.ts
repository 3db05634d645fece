import type { AnswerEvent } from '../core/answer/event.ts'
import type { FinishReason } from '../core/answer/wholeAnswer.ts'
import { UpstreamError, type UpstreamFailure } from '../core/failure.ts'
import type { Step } from '../core/step.ts'
import { fewerChoices } from './fewerChoices.ts'
import {
  type Finish,
  type Finished,
  type Made,
  type OwnFinishWords,
  finishEvent,
  readFinish,
  unsaidReason,
} from './finishWords.ts'
import type { Frame } from '../core/answer/frame.ts'

/**
 * How far a streamed answer has come. `finished`: each choice that was asked for has a reason, and nothing came after it.
 * `complete`: each choice that has begun has a reason, and the usage of all that came was reported. `over`: the format's
 * last frame has come, or an error, and nothing that follows is read.
 */
export type StreamState = 'open' | 'finished' | 'complete' | 'over'

/** Reads the frames of a streamed answer. Its `end` says that the body is over, or that nothing more is waited for. */
export interface StreamDecoder extends Step<Frame, AnswerEvent> {
  readonly state: StreamState
}

/** What is known of the end of one choice. */
export interface ChoiceEnd<Holds = Made> {
  /** What it holds so far. */
  readonly made: Holds
  /** Why it ended, in the provider's last word on it; undefined: none has come. */
  word: unknown
}

export interface EndTerms<Choice extends ChoiceEnd<Holds>, Holds> {
  /** How many choices were asked for. Default: one at least. */
  readonly asked: number | undefined
  readonly begin: (index: number) => Choice
  readonly read: (word: unknown, made: Holds) => Finish
  /** What comes right before the end of a choice. Default: nothing. */
  readonly close?: (choice: Choice, index: number, finish: Finished) => readonly AnswerEvent[]
  /** What comes with the end of a choice. Default: nothing. */
  readonly beside?: (
    choice: Choice,
  ) => Omit<Extract<AnswerEvent, { type: 'finish' }>, 'type' | 'index' | 'reason'>
  /** The end of a choice that is whole and has no reason. */
  readonly unsaid: (made: Holds) => FinishReason
}

/**
 * Decides when and how a streamed answer ends, for all wire formats. A reason is the end of a choice once the answer is
 * over: text and calls that come after it are part of the answer, and of several reasons the last one holds.
 */
export class AnswerEnd<Choice extends ChoiceEnd<Holds>, Holds = Made> {
  /** By index. */
  readonly choices = new Map<number, Choice>()
  readonly #terms: EndTerms<Choice, Holds>
  #reported = false
  #over = false
  /** Something came after a reason, so a reason alone ends nothing. */
  #wentOn = false

  constructor(terms: EndTerms<Choice, Holds>) {
    this.#terms = terms
  }

  get over(): boolean {
    return this.#over
  }

  get state(): StreamState {
    if (this.#over) return 'over'
    const { size } = this.choices
    if (size === 0) return 'open'
    for (const { word } of this.choices.values()) if (word === undefined) return 'open'
    if (this.#reported) return 'complete'
    return size >= (this.#terms.asked ?? 1) && !this.#wentOn ? 'finished' : 'open'
  }

  at(index: number): Choice {
    const known = this.choices.get(index)
    if (known) return known
    const choice = this.#terms.begin(index)
    this.choices.set(index, choice)
    return choice
  }

  /** Text or a call of the choice has come. */
  said(choice: Choice): void {
    this.#reported = false
    if (choice.word !== undefined) this.#wentOn = true
  }

  /** The usage of all that has come so far is known. */
  get isReported(): boolean {
    return this.#reported
  }

  /** The usage of all that has come so far. */
  reported(): void {
    this.#reported = true
  }

  /** The provider says why the choice ended. A word for a failure ends the stream. */
  reason(choice: Choice, word: unknown): readonly AnswerEvent[] {
    choice.word = word
    const finish = this.#terms.read(word, choice.made)
    // A word without a meaning may get one from what is still to come.
    return finish.ok || finish.failure.kind === 'invalid_answer' ? [] : this.fail(finish.failure)
  }

  fail(failure: UpstreamFailure): AnswerEvent[] {
    this.#over = true
    return [{ type: 'error', failure }]
  }

  /**
   * The events of the end, once. With the format's last frame and a report of all that came, choices need no reason; with
   * the end of the connection they do.
   */
  end(how: 'last frame' | 'closed'): AnswerEvent[] {
    if (this.#over) return []
    const { asked = 1, read, close, beside, unsaid } = this.#terms
    if (this.choices.size === 0) return this.fail(cut(how))
    const events: AnswerEvent[] = []
    for (const [index, choice] of this.choices) {
      if (choice.word === undefined && !(how === 'last frame' && this.#reported)) return this.fail(cut(how))
      const finish: Finish =
        choice.word === undefined ? { ok: true, reason: unsaid(choice.made) } : read(choice.word, choice.made)
      if (!finish.ok) return [...events, ...this.fail(finish.failure)]
      if (close) events.push(...close(choice, index, finish))
      events.push({ ...finishEvent(index, finish), ...beside?.(choice) })
    }
    this.#over = true
    const { size } = this.choices
    if (size < asked) events.push({ type: 'error', failure: fewerChoices(size, asked) })
    return events
  }
}

interface OnlyChoice extends ChoiceEnd {
  readonly made: { content: boolean; calls: boolean }
}

/** The same for formats that answer with one choice. */
export class OnlyChoiceEnd extends AnswerEnd<OnlyChoice> {
  #begun = false

  constructor(
    asked: number,
    own: OwnFinishWords | undefined,
    more: Pick<EndTerms<OnlyChoice, Made>, 'close' | 'beside'> = {},
  ) {
    super({
      asked,
      begin: () => ({ made: { content: false, calls: false }, word: undefined }),
      read: (word, made) => readFinish(word, made, own),
      unsaid: unsaidReason,
      ...more,
    })
  }

  /** The event that begins the answer, once. */
  begin(): AnswerEvent[] {
    if (this.#begun) return []
    this.#begun = true
    this.at(0)
    return [{ type: 'start' }]
  }

  /** These events, of which the first begins the answer. A failure begins nothing: it can still be another provider's turn. */
  withBegin(events: AnswerEvent[]): AnswerEvent[] {
    const [first] = events
    return this.#begun || first === undefined || first.type === 'error'
      ? events
      : [...this.begin(), ...events]
  }
}

/**
 * A stream decoder that reads one frame after another, until the end that its format notes in `end`. What is thrown as
 * `UpstreamError` is the failure that ends the answer.
 *
 * @param read gives back the events of a frame. Those that it put into `events` come even if it throws.
 */
export function streamDecoder(
  end: Pick<OnlyChoiceEnd, 'state' | 'over' | 'fail' | 'end'>,
  read: (frame: Frame, events: AnswerEvent[]) => AnswerEvent[],
  close: () => AnswerEvent[] = () => end.end('closed'),
): StreamDecoder {
  return {
    get state() {
      return end.state
    },
    push(frame) {
      if (end.over) return []
      const events: AnswerEvent[] = []
      try {
        return read(frame, events)
      } catch (error) {
        if (error instanceof UpstreamError) return [...events, ...end.fail(error.failure)]
        throw error
      }
    },
    end: close,
  }
}

function cut(how: 'last frame' | 'closed'): UpstreamFailure {
  const detail =
    how === 'closed'
      ? 'the stream was cut before its choices had finished'
      : 'the stream ended before its choices had finished'
  return { kind: 'invalid_answer', detail }
}
