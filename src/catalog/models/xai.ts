import { LISTED_LIMITS } from '../publishedLists.ts'
import { VISION, type CatalogRow } from '../row.ts'
import { page, report, type Sources } from '../source.ts'

// https://docs.x.ai/docs/models

/** What its models answer with 400, even where the value is 0. */
const PENALTIES = ['frequency_penalty', 'presence_penalty']
/** What those that reason answer so. */
const REASONING = [...PENALTIES, 'stop']

const READ = '2026-11-27'

const REFUSED = page(
  'https://docs.x.ai/docs/guides/reasoning',
  READ,
  'reasoning models answer penalties and stop with an error; they do not return their reasoning',
)
const PENALTIES_REFUSED = report(
  'https://github.com/miaoxworld/NativeTavern/issues/83',
  READ,
  'grok-4.20-0309-non-reasoning, as all others, answers a presence penalty of 0 with 400',
)
const EFFORT_REFUSED = report(
  'https://github.com/NousResearch/hermes-agent/pull/23435',
  READ,
  'grok-4.20-0309 answers an effort with 400, grok-4.3 takes it; tried on 2026-05-10',
)
const MODEL = page(
  'https://docs.x.ai/developers/models/grok-4.20-0309.md',
  READ,
  'context window 1,000,000; structured outputs',
)
const NO_REASONING = page(
  'https://docs.oracle.com/iaas/Content/generative-ai/xai-grok-4-20.htm',
  READ,
  'one model reasons, the other does not',
)
const COMMON: Sources = {
  context: MODEL,
  output: LISTED_LIMITS,
  reasoning: REFUSED,
  refused: REFUSED,
  formats: MODEL,
}

export const xaiModels: readonly CatalogRow[] = [
  {
    model: 'grok-4.3',
    name: 'Grok 4.3',
    released: '2026-04-17',
    context: 1_000_000,
    output: 30_000,
    hiddenReasoning: 'always',
    capabilities: VISION,
    unsupported: REASONING,
    sources: { ...COMMON, context: LISTED_LIMITS, refused: REFUSED },
  },
  {
    model: 'grok-4.20-0309-reasoning',
    name: 'Grok 4.20',
    released: '2026-03-09',
    context: 1_000_000,
    output: 30_000,
    hiddenReasoning: 'always',
    capabilities: VISION,
    unsupported: [...REASONING, 'reasoning_effort'],
    pricedAs: 'grok-4.20',
    sources: { ...COMMON, refused: EFFORT_REFUSED },
  },
  {
    model: 'grok-4.20-0309-non-reasoning',
    name: 'Grok 4.20 (no reasoning)',
    released: '2026-03-09',
    context: 1_000_000,
    output: 30_000,
    capabilities: VISION,
    unsupported: [...PENALTIES, 'reasoning_effort'],
    pricedAs: 'grok-4.20',
    sources: { ...COMMON, reasoning: NO_REASONING, refused: PENALTIES_REFUSED },
  },
]
