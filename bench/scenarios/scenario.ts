import { type Calls, closedLoop, openLoop, wave } from '../load/drive.ts'
import type { Tally } from '../load/tally.ts'
import { formatSpec } from '../mock/spec.ts'

/** One kind of load. It is put on every target in turn, several times over. */
export interface Scenario {
  readonly name: string
  /** How the mock provider answers. */
  readonly spec: string
  readonly stream: boolean
  readonly endpoint: Calls['endpoint']
  readonly maxTokens: number
  readonly rounds: number
  /** Whether its calls, without a pause, make the gateway warm. */
  readonly warmsUp: boolean
  run(calls: Calls): Promise<Tally>
}

/** The scenarios in their full or in their brief form. */
export function scenarios(quick: boolean): readonly Scenario[] {
  return [
    ...chatScenarios(quick),
    ...otherScenarios('messages', quick),
    ...otherScenarios('responses', quick),
  ]
}

/** The same calls by callers of another format, at a provider of their format (`native`), and of chat (`translated`). */
function otherScenarios(caller: 'messages' | 'responses', quick: boolean): readonly Scenario[] {
  return (['native', 'translated'] as const).flatMap((lane): Scenario[] => {
    const format = lane === 'native' ? caller : 'chat'
    const usual = { endpoint: `/v1/${caller}`, maxTokens: 256, rounds: quick ? 1 : 3 } as const
    return [
      {
        ...usual,
        name: `${caller}-${lane}`,
        spec: formatSpec({ bytes: 1024, format }),
        stream: false,
        warmsUp: true,
        run: (calls) => closedLoop(calls, 32, quick ? 400 : 2_500),
      },
      {
        ...usual,
        name: `${caller}-${lane}-burst`,
        spec: formatSpec({ chunks: 100, gap: 0, format }),
        stream: true,
        warmsUp: true,
        run: (calls) => closedLoop(calls, 64, quick ? 400 : 1_500),
      },
    ]
  })
}

function chatScenarios(quick: boolean): readonly Scenario[] {
  const endpoint = '/v1/chat/completions'
  const rounds = (full: number): number => (quick ? 1 : full)
  const slowCallers = quick ? 200 : 1_000
  return [
    {
      name: 'saturated',
      spec: formatSpec({ bytes: 1024 }),
      stream: false,
      endpoint,
      maxTokens: 256,
      rounds: rounds(3),
      warmsUp: true,
      run: (calls) => closedLoop(calls, 32, quick ? 300 : 2_500),
    },
    {
      name: 'long',
      // A token of English is some four bytes.
      spec: formatSpec({ bytes: 4_300, tokens: 1_000, chunks: 1, gap: 0 }),
      stream: false,
      endpoint,
      maxTokens: 4_000,
      rounds: rounds(3),
      warmsUp: true,
      run: (calls) => closedLoop(calls, 32, quick ? 300 : 2_500),
    },
    {
      name: 'steady',
      spec: formatSpec({ bytes: 1024 }),
      stream: false,
      endpoint,
      maxTokens: 256,
      rounds: rounds(5),
      warmsUp: false,
      run: (calls) => openLoop(calls, 200, quick ? 500 : 3_000),
    },
    {
      name: 'spaced',
      spec: formatSpec({ chunks: quick ? 50 : 100, gap: 10 }),
      stream: true,
      endpoint,
      maxTokens: 256,
      rounds: rounds(6),
      warmsUp: false,
      run: (calls) => wave(calls, 64, 100),
    },
    {
      name: 'burst',
      spec: formatSpec({ chunks: 100, gap: 0 }),
      stream: true,
      endpoint,
      maxTokens: 256,
      rounds: rounds(2),
      warmsUp: true,
      run: (calls) => closedLoop(calls, 64, quick ? 250 : 1_500),
    },
    {
      name: 'slow',
      spec: formatSpec({ chunks: quick ? 8 : 32, gap: 250 }),
      stream: true,
      endpoint,
      maxTokens: 256,
      rounds: 1,
      warmsUp: false,
      run: (calls) => wave(calls, slowCallers, quick ? 200 : 1_000),
    },
    {
      name: 'responses-slow',
      spec: formatSpec({ chunks: quick ? 8 : 32, gap: 250 }),
      stream: true,
      endpoint: '/v1/responses',
      maxTokens: 256,
      rounds: 1,
      warmsUp: false,
      run: (calls) => wave(calls, slowCallers, quick ? 200 : 1_000),
    },
  ]
}
