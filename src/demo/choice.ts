import { speech } from './speech.ts'

/** What one choice says: pieces to stream one after another, and why it ends. */
export interface DemoChoice {
  readonly pieces: readonly string[]
  readonly finishReason: 'stop' | 'length'
}

/** The longest answer the demo gives, in tokens, whatever is asked for. */
export const ANSWER_TOKENS_MAX = 8_192

export interface ChoiceOptions {
  readonly seed: number
  readonly maxTokens: number | undefined
  readonly stop: readonly string[]
  /** Say exactly so much instead of a few sentences. */
  readonly length: number | undefined
}

/** Speaks until the speech, `max_tokens` or a stop sequence ends it; of a stop sequence nothing is said. */
export function composeChoice({ seed, maxTokens, stop, length }: ChoiceOptions): DemoChoice {
  const limit = Math.min(maxTokens ?? ANSWER_TOKENS_MAX, ANSWER_TOKENS_MAX)
  const pieces: string[] = []
  let text = ''
  for (const piece of speech(seed, length)) {
    if (pieces.length === limit) return { pieces, finishReason: 'length' }
    pieces.push(piece)
    text += piece
    const end = firstOf(stop, text)
    if (end !== undefined) return { pieces: cutTo(pieces, end), finishReason: 'stop' }
  }
  return { pieces, finishReason: 'stop' }
}

function firstOf(stop: readonly string[], text: string): number | undefined {
  const found = stop.map((sequence) => text.indexOf(sequence)).filter((at) => at >= 0)
  return found.length === 0 ? undefined : Math.min(...found)
}

function cutTo(pieces: readonly string[], length: number): string[] {
  const kept: string[] = []
  let room = length
  for (const piece of pieces) {
    if (room <= 0) break
    kept.push(piece.slice(0, room))
    room -= piece.length
  }
  return kept
}
