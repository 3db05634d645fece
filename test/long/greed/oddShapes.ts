import type { JsonObject } from '../../../src/core/json.ts'
import type { OpenaiUsage } from '../../support/scriptedProvider.ts'
import type { SeededRandom } from '../../support/seededRandom.ts'
import type { Greed, Reply } from './greed.ts'
import { OPEN } from './market.ts'
import { TONGUES } from './words.ts'

/** What cannot be true of a count, or hardly. */
const IMPOSSIBLE = [-1, 0, 0.5, 1e15, 20_000, Number.MAX_SAFE_INTEGER] as const
const MESSAGES_MANY = 300

/** Histories as no client should write them, and store: what they say must not break the books. */
const HISTORIES: readonly [readonly JsonObject[], ...(readonly JsonObject[])[]] = [
  [{ role: 'assistant', content: null }],
  [{ role: 'assistant', content: [] }],
  [{ role: 'assistant', content: '', tool_calls: [] }],
  [{ role: 'tool', tool_call_id: 'call_of_nobody', content: 'x' }],
  [{ role: 'assistant', content: null, tool_calls: [{ id: 'a', type: 'custom' }] }],
  [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f' } }],
    },
  ],
  [{ role: 'function', name: 'f', content: 'x' }],
  [{ role: 'assistant', content: null, function_call: { name: 'f', arguments: '{' } }],
  [{ role: 'developer', content: [{ type: 'text', text: null }] }],
  [{ role: 'user', content: [{ type: 'image_url', image_url: 'nowhere' }] }],
  [{ role: 'user', content: 'a\u0000b \ud800 \u2028 \uffff', name: '\u0000' }],
  [{ role: 'user', content: { type: 'text', text: 'x' } }],
  [{ role: 'pirate', content: 'arr' }],
  [{ role: 'user', content: [[['x']]] }],
  Array.from({ length: MESSAGES_MANY }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: at % 3 === 0 ? '' : 'x',
  })),
]

export const ODD_SHAPES = ['usage that cannot be true', 'odd histories'] as const

export function oddCall(shape: string, random: SeededRandom): Greed {
  const reply: Reply = {
    words: random.pick<readonly string[]>([TONGUES.english, []]),
    tokens: random.integer(1, 300),
    wordsEach: random.integer(1, 20),
    obeys: true,
  }
  const odd =
    shape === 'odd histories'
      ? { reply: { ...reply, words: TONGUES.english }, messages: random.pick(HISTORIES) }
      : { reply: { ...reply, reports: lie(random) } }
  const body = { stream: random.chance(0.6), ...(random.chance(0.5) && { max_tokens: 400 }) }
  return { shape, model: OPEN, body, manner: { kind: 'plain' }, ...odd }
}

function lie(random: SeededRandom): (truth: OpenaiUsage) => OpenaiUsage {
  const change = random.pick<JsonObject>([
    { prompt_tokens: random.pick(IMPOSSIBLE) },
    { completion_tokens: random.pick(IMPOSSIBLE) },
    { prompt_tokens: random.pick(IMPOSSIBLE), completion_tokens: random.pick(IMPOSSIBLE) },
    { prompt_tokens_details: { cached_tokens: random.pick(IMPOSSIBLE) } },
    { completion_tokens_details: { reasoning_tokens: random.pick(IMPOSSIBLE) } },
    { prompt_tokens: '17' },
  ])
  return (truth) => {
    const { total_tokens: _, ...figures } = truth
    return { ...figures, ...change } as unknown as OpenaiUsage
  }
}
