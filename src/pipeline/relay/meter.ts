import type { AnswerEvent } from '../../core/answer/event.ts'
import { forEachGenerated } from '../../core/answer/generatedText.ts'
import { MEASURE_PER_TOKEN, REPEATED_MEASURE, isSign, measureTokens } from '../../core/tokenMeasure.ts'

/** A hold grows when less than this is left of it: tokens, or this share of what it covers. */
const MARGIN_TOKENS_MIN = 64
const MARGIN_SHARE = 1 / 8
/** It grows by at least so many tokens, or this share of what it covers. */
const STEP_TOKENS_MIN = 128
const STEP_SHARE = 1
/**
 * A provider that says so many times the most, and at least so many tokens, will never stop by itself. Vocabularies have
 * single tokens of 128 blanks or dashes: a character that is no letter and repeats the one before is not counted here. As much
 * text is remembered, to be charged.
 */
export const ENDLESS_FACTOR = 8
export const ENDLESS_TOKENS_MIN = 65_536

/** Counts what a stream produces against what its hold covers. Pure bookkeeping: the waiting is `follow`'s. */
export interface Meter {
  take(event: AnswerEvent): void
  /** Tokens by which the hold should grow now; 0 when there is no need. */
  wanted(): number
  /** The hold covers so many tokens more. */
  covers(more: number): void
  /** More has been produced than the hold covers, and it does not cover all that the answer may reach. */
  exhausted(): boolean
  /** Far more has come than the answer may reach, in text or in events without any: the provider keeps to no limit. */
  endless(): 'text' | 'events' | undefined
  /** All that was taken has been passed on to the caller. */
  passed(): void
  /**
   * Of the events taken since then, those that the hold covers; where they end within a text, it is cut there. The others
   * count as if they had never come.
   */
  cutToCovered(events: readonly AnswerEvent[]): AnswerEvent[]
  /** What was generated so far, as far as it can be charged: text, refusals, reasoning and tool arguments. */
  text(): string
}

/** How much an answer's hold covers at first, and the most that the answer may reach; tokens of all choices. */
export interface MeteredOutput {
  readonly covered: number
  readonly most: number
}

export function createMeter(output: MeteredOutput): Meter {
  let { covered } = output
  /** Of the text, in parts of a token; near the truth, and a chunk counts for a token at least. */
  let measure = 0
  /** Of it, what repeats a blank or a sign. */
  let repeated = 0
  let chunks = 0
  /** Those without text: a provider may go on for ever without saying a word. */
  let silent = 0
  /** Reasoning came in the open: what signs it at its end says it again. */
  let thoughtTold = false
  const bound = Math.max(ENDLESS_TOKENS_MIN, output.most * ENDLESS_FACTOR)
  let pieces: string[] = []
  let passed = { measure, chunks, pieces: 0 }

  function produced(): number {
    return Math.max(chunks, Math.ceil(measure / MEASURE_PER_TOKEN))
  }

  function take(event: AnswerEvent): void {
    if (event.type === 'finish') takeBesideFinish(event)
    if (event.type !== 'delta') return
    const before = measure
    forEachGenerated(event.delta, takeText, event.choiceExtra, thoughtTold)
    if (measure > before) chunks += 1
    else silent += 1
    if (event.delta.reasoning_content) thoughtTold = true
  }

  /** Fields that nobody knows may come with the end of a choice, too. */
  function takeBesideFinish({ choiceExtra }: Extract<AnswerEvent, { type: 'finish' }>): void {
    if (choiceExtra) forEachGenerated({}, takeText, choiceExtra)
  }

  function takeText(text: string): void {
    measure += measureTokens(text)
    repeated += repeatedSigns(text) * REPEATED_MEASURE
    if (measure <= bound * MEASURE_PER_TOKEN || pieces.length === 0) pieces.push(text)
  }

  /** Goes back to a state of before. */
  function forget(to: typeof passed): void {
    measure = to.measure
    chunks = to.chunks
    pieces = pieces.slice(0, to.pieces)
  }

  return {
    take,
    wanted() {
      if (covered >= output.most) return 0
      const margin = Math.max(MARGIN_TOKENS_MIN, covered * MARGIN_SHARE)
      if (produced() < covered - margin) return 0
      const step = Math.max(STEP_TOKENS_MIN, Math.ceil(covered * STEP_SHARE))
      const lacking = Math.max(0, produced() - covered)
      return Math.min(lacking + step, output.most - covered)
    },
    covers(more) {
      covered += more
    },
    exhausted: () => covered < output.most && produced() > covered,
    endless() {
      if (chunks > bound || Math.ceil((measure - repeated) / MEASURE_PER_TOKEN) > bound) return 'text'
      return silent > bound ? 'events' : undefined
    },
    passed: () => void (passed = { measure, chunks, pieces: pieces.length }),
    cutToCovered(events) {
      forget(passed)
      const kept: AnswerEvent[] = []
      for (const event of events) {
        const before = { measure, chunks, pieces: pieces.length }
        take(event)
        if (produced() <= covered) {
          kept.push(event)
          continue
        }
        forget(before)
        const cut = cutTo((covered - produced()) * MEASURE_PER_TOKEN, event)
        if (cut) {
          take(cut)
          kept.push(cut)
        }
        break
      }
      return kept
    },
    text: () => pieces.join(''),
  }
}

/** The event with as much of its content as has room, in measures of tokens; undefined where nothing of it has. */
function cutTo(room: number, event: AnswerEvent): AnswerEvent | undefined {
  if (event.type !== 'delta') return undefined
  const { content } = event.delta
  if (content === undefined || content === null) return undefined
  let text = ''
  let left = room
  let before = 0
  for (const character of content) {
    left -= measureTokens(character, before)
    if (left < 0) break
    text += character
    before = character.charCodeAt(character.length - 1)
  }
  if (text === '') return undefined
  const { raw: _whole, ...said } = event
  return { ...said, delta: { content: text } }
}

/** Characters that repeat the one before them and are neither letter nor digit, of ASCII. */
function repeatedSigns(text: string): number {
  let count = 0
  let before = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === before && isSign(code)) count += 1
    before = code
  }
  return count
}
