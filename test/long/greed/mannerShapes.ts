import type { SeededRandom } from '../../support/seededRandom.ts'
import type { Greed, Manner, Reply } from './greed.ts'
import { OPEN, SICK } from './market.ts'
import { proseOf, TONGUES } from './words.ts'

const PLAIN = { kind: 'plain' } as const
const PIECES_MAX = 20
const PAUSE_MS_MAX = 15
const CALLERS_MAX = 5
/** Of an answer and its head, at most. */
const ANSWER_BYTES_MAX = 40_000

type Behaviour = Partial<Pick<Greed, 'manner' | 'messages' | 'model' | 'callers' | 'body' | 'steady'>> & {
  readonly reply?: Partial<Reply>
}

/** Callers and providers that stall, race, leave and break off. */
export const MANNER_SHAPES: Readonly<Record<string, (random: SeededRandom) => Behaviour>> = {
  'slow bodies': (random) => ({ manner: trickle(random), body: { max_tokens: 100 } }),
  'small answers': () => ({ steady: true, body: { max_tokens: 20 }, reply: { tokens: 10 } }),
  'one Idempotency-Key': (random) => ({
    callers: random.integer(2, CALLERS_MAX),
    body: { max_tokens: 200 },
    manner: random.chance(0.7) ? trickle(random) : PLAIN,
  }),
  'one Idempotency-Key, and a provider that breaks off': (random) => ({
    callers: random.integer(2, CALLERS_MAX),
    model: random.pick(SICK),
    body: { max_tokens: 200 },
    manner: random.chance(0.5) ? trickle(random) : PLAIN,
    reply: { breaks: { bytes: random.integer(0, 3_000), how: 'close', again: false } },
  }),
  'callers that leave in their body': (random) => ({ manner: { kind: 'leaves_body', share: random.next() } }),
  'callers that leave before the answer': () => ({ manner: { kind: 'leaves_asked' } }),
  'callers that leave in the answer': (random) => ({
    manner: { kind: 'leaves_answer', bytes: random.integer(0, ANSWER_BYTES_MAX) },
  }),
  'providers that break off': (random) => ({
    model: random.pick(SICK),
    ...(random.chance(0.5) && { reply: { breaks: breaksOf(random) } }),
  }),
  'callers that leave providers that break off': (random) => ({
    model: random.pick(SICK),
    manner: { kind: 'leaves_answer', bytes: random.integer(0, ANSWER_BYTES_MAX) },
    ...(random.chance(0.5) && { reply: { breaks: breaksOf(random) } }),
  }),
}

export function badManners(shape: string, random: SeededRandom): Greed {
  const { reply, ...behaviour } = MANNER_SHAPES[shape]?.(random) ?? {}
  return {
    shape,
    model: OPEN,
    manner: PLAIN,
    messages: [{ role: 'user', content: proseOf(random, random.integer(1, 200)) }],
    ...behaviour,
    body: { stream: random.chance(0.6), ...behaviour.body },
    reply: {
      words: TONGUES.english,
      tokens: random.integer(1, 1_500),
      wordsEach: random.integer(1, 20),
      obeys: true,
      ...reply,
    },
  }
}

function trickle(random: SeededRandom): Manner {
  return {
    kind: 'trickle',
    pieces: random.integer(2, PIECES_MAX),
    pauseMs: random.integer(1, PAUSE_MS_MAX),
  }
}

function breaksOf(random: SeededRandom): NonNullable<Reply['breaks']> {
  return {
    bytes: random.integer(0, ANSWER_BYTES_MAX),
    how: random.pick(['close', 'reset']),
    again: random.chance(0.3),
  }
}
