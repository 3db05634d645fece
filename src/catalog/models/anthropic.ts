import { LISTED_LIMITS } from '../publishedLists.ts'
import { ADAPTIVE, ADAPTIVE_ALWAYS, BUDGET } from '../reasoning.ts'
import { SAMPLING, VISION, type CatalogRow } from '../row.ts'
import { page, recording, type Source, report } from '../source.ts'

// https://platform.claude.com/docs/en/build-with-claude/vision: an image is scaled down to 1,568 visual tokens, from
// Opus 4.7 on to 4,784. A large photo was reported as 1,661 and 4,005.
const IMAGE = 1_700
const IMAGE_HIGH_RESOLUTION = 4_800

const READ = '2026-11-27'

const limits = (source: Source) => ({ context: source, output: source })
const overview = (model: string): Source =>
  page(
    `https://platform.claude.com/docs/en/models/${model}/overview.md`,
    READ,
    'context window of 1M and at most 128K output tokens',
  )
const LINE_UP = page(
  'https://platform.claude.com/docs/en/models/sonnet-5-5/overview',
  READ,
  'Opus 5.5 has 1M and 128K and always thinks; Haiku 4.5 has 200K and 64K',
)
const NEW_IN_OPUS_5 = page(
  'https://platform.claude.com/docs/en/models/opus-5/whats-new-opus-5',
  READ,
  'Opus 5 has 1M and 128K, and thinks by default; it can be disabled. Opus 4.8 thinks only when it is asked to',
)
const OPUS_4_7 = page(
  'https://docs.aws.amazon.com/bedrock/latest/userguide/model-card-anthropic-claude-opus-4-7.md',
  READ,
  '1M tokens of context and 128K of output; only adaptive thinking',
)
const FABLE_THINKS = page(
  'https://vercel.com/ai-gateway/models/claude-fable-5.md',
  READ,
  'always-on adaptive thinking',
)
const SONNET_5_THINKS = recording(
  'pydantic/pydantic-ai, tidyverse/ellmer and eleven other public repositories',
  '2026-11-25',
  '28 of 102 calls without a thinking parameter think; the vendor’s page: by default, and it can be disabled',
)
const REFUSED_BY_SONNET_5 = page(
  'https://platform.claude.com/docs/en/models/sonnet-5/migration-guide',
  READ,
  'sampling parameters other than the default return 400',
)
const REFUSED_FROM_5 = page(
  'https://openrouter.ai/docs/cookbook/evaluate-and-optimize/model-migrations/claude-5-5',
  READ,
  'sampling parameters are removed',
)
const REFUSED_FROM_4_7 = page(
  'https://openrouter.ai/docs/guides/evaluate-and-optimize/model-migrations/claude-4-7',
  READ,
  'sampling parameters are removed from Opus 4.7 on; reasoning is opt-in and only adaptive',
)
const THINKS_WHEN_ASKED = page(
  'https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking',
  READ,
  'thinking is optional on 4.6, adaptive or by a budget; earlier models take only a budget',
)
const SAMPLES = recording(
  '0xPlaygrounds/rig, simonw/llm-anthropic',
  READ,
  'Sonnet 4.6 and Haiku 4.5 answer with a temperature, and without thinking where none is asked for',
)
const SCHEMAS_FROM_4_5 = page(
  'https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/partner-models/claude/structured-outputs',
  READ,
  'JSON schemas with all models from 4.5 on',
)
const IMAGES = page(
  'https://platform.claude.com/docs/en/build-with-claude/vision',
  '2026-11-23',
  'scaled down to 1,568 visual tokens, from Opus 4.7 on to 4,784',
)

const TURNS = report(
  'https://github.com/agno-agi/agno/issues/7015',
  '2026-11-28',
  'the migration guide: "Prefilling assistant messages returns a 400 error on Sonnet 4.6"; Opus 4.6, also at Bedrock: strands-agents/sdk-python#1694; Opus 4.8 takes system messages behind a user turn: simonw/llm-anthropic#73, and so do Opus 5, 5.5 and Fable 5: langchain-ai/langchainjs@1.5.13',
)

const COMMON = { formats: SCHEMAS_FROM_4_5, images: IMAGES, turns: TURNS }
const ALWAYS = { ...COMMON, reasoning: LINE_UP, refused: REFUSED_FROM_5 }
const ADAPTIVE_ONLY = { ...COMMON, reasoning: REFUSED_FROM_4_7, refused: REFUSED_FROM_4_7 }
const SAMPLED = { ...COMMON, reasoning: THINKS_WHEN_ASKED, refused: SAMPLES }

const BEFORE_4_8 = { systemInPlace: false } as const
const FROM_4_6 = { refusesPrefill: true } as const
const BETWEEN = { ...FROM_4_6, ...BEFORE_4_8 } as const
/** Of Sonnet 5 reports differ, so nothing is known. */
const FROM_4_8 = { ...FROM_4_6, systemInPlace: true } as const

// https://platform.claude.com/docs/en/about-claude/models/overview
// From Opus 4.7 on, sampling parameters are answered with 400.
export const anthropicModels: readonly CatalogRow[] = [
  {
    model: 'claude-fable-5',
    name: 'Claude Fable 5',
    released: '2026-06-09',
    context: 1_000_000,
    output: 128_000,
    imageTokens: IMAGE_HIGH_RESOLUTION,
    hiddenReasoning: 'always',
    facts: { reasoning: ADAPTIVE_ALWAYS, ...FROM_4_8 },
    capabilities: VISION,
    unsupported: SAMPLING,
    sources: { ...ALWAYS, ...limits(overview('fable-5')), reasoning: FABLE_THINKS },
  },
  {
    model: 'claude-opus-5-5',
    name: 'Claude Opus 5.5',
    context: 1_000_000,
    output: 128_000,
    imageTokens: IMAGE_HIGH_RESOLUTION,
    hiddenReasoning: 'always',
    facts: { reasoning: ADAPTIVE_ALWAYS, ...FROM_4_8 },
    capabilities: VISION,
    unsupported: SAMPLING,
    sources: { ...ALWAYS, ...limits(LINE_UP) },
  },
  {
    model: 'claude-opus-5',
    name: 'Claude Opus 5',
    released: '2026-07-24',
    context: 1_000_000,
    output: 128_000,
    imageTokens: IMAGE_HIGH_RESOLUTION,
    hiddenReasoning: 'by_default',
    facts: { reasoning: ADAPTIVE, ...FROM_4_8 },
    capabilities: VISION,
    unsupported: SAMPLING,
    sources: { ...COMMON, ...limits(NEW_IN_OPUS_5), reasoning: NEW_IN_OPUS_5, refused: REFUSED_FROM_5 },
  },
  {
    model: 'claude-opus-4-8',
    name: 'Claude Opus 4.8',
    released: '2026-05-28',
    context: 1_000_000,
    output: 128_000,
    imageTokens: IMAGE_HIGH_RESOLUTION,
    hiddenReasoning: 'on_request',
    facts: { reasoning: ADAPTIVE, ...FROM_4_8 },
    capabilities: VISION,
    unsupported: SAMPLING,
    sources: { ...ADAPTIVE_ONLY, ...limits(overview('opus-4-8')), reasoning: NEW_IN_OPUS_5 },
  },
  {
    model: 'claude-opus-4-7',
    name: 'Claude Opus 4.7',
    released: '2026-04-16',
    context: 1_000_000,
    output: 128_000,
    imageTokens: IMAGE_HIGH_RESOLUTION,
    hiddenReasoning: 'on_request',
    facts: { reasoning: ADAPTIVE, ...BETWEEN },
    capabilities: VISION,
    unsupported: SAMPLING,
    sources: { ...ADAPTIVE_ONLY, ...limits(OPUS_4_7) },
  },
  {
    model: 'claude-opus-4-6',
    name: 'Claude Opus 4.6',
    released: '2026-02-05',
    context: 1_000_000,
    output: 128_000,
    imageTokens: IMAGE,
    hiddenReasoning: 'on_request',
    facts: { reasoning: ADAPTIVE, ...BETWEEN },
    capabilities: VISION,
    sources: { ...SAMPLED, ...limits(overview('opus-4-6')) },
  },
  {
    model: 'claude-opus-4-5',
    name: 'Claude Opus 4.5',
    released: '2025-11-24',
    context: 200_000,
    output: 64_000,
    imageTokens: IMAGE,
    hiddenReasoning: 'on_request',
    facts: { reasoning: BUDGET, ...BEFORE_4_8 },
    capabilities: VISION,
    sources: { ...SAMPLED, ...limits(LISTED_LIMITS) },
  },
  {
    model: 'claude-opus-4-1',
    name: 'Claude Opus 4.1',
    released: '2025-08-05',
    context: 200_000,
    output: 32_000,
    imageTokens: IMAGE,
    hiddenReasoning: 'on_request',
    facts: { reasoning: BUDGET, responseFormats: ['json_object'], ...BEFORE_4_8 },
    capabilities: VISION,
    sources: { ...SAMPLED, ...limits(LISTED_LIMITS), formats: SCHEMAS_FROM_4_5 },
  },
  {
    model: 'claude-sonnet-5',
    name: 'Claude Sonnet 5',
    released: '2026-06-30',
    context: 1_000_000,
    output: 128_000,
    imageTokens: IMAGE_HIGH_RESOLUTION,
    hiddenReasoning: 'by_default',
    facts: { reasoning: ADAPTIVE, ...FROM_4_6 },
    capabilities: VISION,
    unsupported: SAMPLING,
    sources: {
      ...COMMON,
      ...limits(overview('sonnet-5')),
      reasoning: SONNET_5_THINKS,
      refused: REFUSED_BY_SONNET_5,
    },
  },
  {
    model: 'claude-sonnet-4-6',
    name: 'Claude Sonnet 4.6',
    released: '2026-02-17',
    context: 1_000_000,
    output: 128_000,
    imageTokens: IMAGE,
    hiddenReasoning: 'on_request',
    facts: { reasoning: ADAPTIVE, ...BETWEEN },
    capabilities: VISION,
    sources: { ...SAMPLED, ...limits(overview('sonnet-4-6')) },
  },
  {
    model: 'claude-sonnet-4-5',
    name: 'Claude Sonnet 4.5',
    released: '2025-09-29',
    context: 200_000,
    output: 64_000,
    imageTokens: IMAGE,
    hiddenReasoning: 'on_request',
    facts: { reasoning: BUDGET, ...BEFORE_4_8 },
    capabilities: VISION,
    sources: { ...SAMPLED, ...limits(LISTED_LIMITS) },
  },
  {
    model: 'claude-haiku-4-5',
    name: 'Claude Haiku 4.5',
    released: '2025-10-15',
    context: 200_000,
    output: 64_000,
    imageTokens: IMAGE,
    hiddenReasoning: 'on_request',
    facts: { reasoning: BUDGET, ...BEFORE_4_8 },
    capabilities: VISION,
    sources: { ...SAMPLED, ...limits(LINE_UP) },
  },
]
