import type { JsonObject } from '../../../src/core/json.ts'
import type { SeededRandom } from '../../support/seededRandom.ts'
import type { Greed, Reply } from './greed.ts'
import { type GreedModel, LONG, OPEN, PARALLEL, SILENT, THINKER } from './market.ts'
import { LANGUAGES, TONGUES } from './words.ts'

const PLAIN = { kind: 'plain' } as const
const TOKENS_MAX = 6_000
/** Random letters have so many times the tokens that a hold takes them for (`core/tokenMeasure.ts`). */
const LETTERS_PER_MEASURED = 2.9
/** More than any balance of the attack pays. */
const TOKENS_HUGE = 12_000

interface Output {
  readonly model?: GreedModel
  readonly body?: JsonObject
  readonly reply: Partial<Reply>
}

/** Output beyond what is held for it. */
export const OUTPUT_SHAPES: Readonly<Record<string, (random: SeededRandom) => Output>> = {
  'no max_tokens': () => ({ reply: {} }),
  'huge max_tokens': (random) => ({
    model: LONG,
    body: { max_tokens: random.pick([32_000, 64_000, 1_000_000]) },
    reply: {},
  }),
  'one huge piece': (random) => ({
    model: LONG,
    body: { stream: true },
    reply: { wordsEach: 2_000, tokens: TOKENS_HUGE, obeys: random.chance(0.5) },
  }),
  'bursts of pieces': (random) => ({
    model: LONG,
    reply: { wordsEach: random.integer(5, 40), framesEach: random.integer(5, 60) },
  }),
  'letters of no language': (random) => ({
    model: LONG,
    reply: {
      words: TONGUES.letters,
      wordsEach: random.integer(30, 100),
      tokens: TOKENS_HUGE,
      tokensPerMeasured: LETTERS_PER_MEASURED,
    },
  }),
  'arguments of a function': (random) => ({
    body: { tools: [{ type: 'function', function: { name: 'save' } }] },
    reply: { field: 'arguments', wordsEach: random.integer(40, 400), tokens: TOKENS_HUGE },
  }),
  'input of a custom tool': (random) => ({
    body: { tools: [{ type: 'custom', custom: { name: 'patch' } }] },
    reply: { field: 'custom', wordsEach: random.integer(40, 200), tokens: TOKENS_HUGE },
  }),
  'an old function call': (random) => ({
    body: { functions: [{ name: 'save' }] },
    reply: { field: 'function_call', wordsEach: random.integer(40, 200), tokens: TOKENS_HUGE },
  }),
  'reasoning in details': (random) => ({
    reply: { field: 'reasoning_details', wordsEach: random.integer(40, 200), tokens: TOKENS_HUGE },
  }),
  'silent reasoning': (random) => ({
    model: THINKER,
    reply: { thinks: random.integer(1, 64_000), tokens: random.integer(1, 100) },
  }),
  'silent reasoning without end': (random) => ({
    model: THINKER,
    reply: { thinks: random.integer(1, 64_000), tokens: 10, obeys: false },
  }),
  'a target that cannot stream': (random) => ({
    model: SILENT,
    reply: { tokens: random.integer(1, TOKENS_MAX) },
  }),
  'JSON to a streamed call': (random) => ({
    body: { stream: true },
    reply: { whole: true, obeys: random.chance(0.5) },
  }),
  'no limit is kept to': () => ({ reply: { obeys: false, tokens: TOKENS_HUGE } }),
  'no usage report': (random) => ({
    reply: { reports: () => null, obeys: random.chance(0.7), tokens: random.integer(1, TOKENS_MAX) },
  }),
  'several choices': (random) => ({
    body: { n: random.integer(2, 4) },
    reply: { tokens: random.integer(1, 2_000) },
  }),
  'several choices by several calls': (random) => ({
    model: PARALLEL,
    body: { n: random.integer(2, 4) },
    reply: { tokens: random.integer(1, 2_000) },
  }),
}

export function muchOutput(shape: string, random: SeededRandom): Greed {
  const output = OUTPUT_SHAPES[shape]?.(random) ?? { reply: {} }
  return {
    shape,
    model: output.model ?? OPEN,
    body: { stream: random.chance(0.6), ...output.body },
    reply: {
      words: random.pick<readonly string[]>(LANGUAGES),
      tokens: random.integer(1, TOKENS_MAX),
      wordsEach: random.integer(20, 200),
      obeys: true,
      ...output.reply,
    },
    manner: PLAIN,
  }
}
