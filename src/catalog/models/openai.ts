import { OPENAI_PAGES } from '../publishedLists.ts'
import { SAMPLING, TOOLS, VISION, type CatalogRow } from '../row.ts'
import { list, page, report, unsupported, type Source, type Sources } from '../source.ts'

// https://developers.openai.com/api/docs/models

/** What its reasoning models answer with 400, also where they do not reason. */
const NEVER = ['frequency_penalty', 'presence_penalty', 'logit_bias', 'stop']
/** What those from GPT-5.1 on take while they do not reason. */
const WITHOUT_REASONING = [...SAMPLING, 'logprobs', 'top_logprobs']
const REASONING = [...NEVER, ...WITHOUT_REASONING]

// Images: https://developers.openai.com/api/docs/guides/images-vision

/** A base and up to 8 tiles: 2,048 pixels by 768 are 4 by 2 of 512. */
const tiled = (base: number, tile: number): number => base + 8 * tile
/** Up to 1,536 patches of 32 pixels, each of so many tokens. */
const patched = (multiplier: number): number => Math.ceil(1_536 * multiplier)
/** Up to 10,000 patches where the detail is `original`. */
const IMAGE_ORIGINAL = 12_000
/** A photo of 12 megapixels was reported as 14,364; the limit is not published. */
const IMAGE_GPT_6 = 16_000

const READ = '2026-11-27'
const READ_LAST = '2026-11-28'

const LIMITS = list(OPENAI_PAGES, 'context window and most output tokens, from the page of the model')
const effort = (says: string): Source =>
  list(OPENAI_PAGES, `the page of the model: reasoning.effort supports ${says}`)
const MICROSOFT = 'https://learn.microsoft.com/en-us/javascript/api/@azure/ai-projects/reasoningeffort'
const BEFORE_5_1 = page(MICROSOFT, READ, 'models before gpt-5.1 have medium by default and no none')
const NO_REASONING = list(OPENAI_PAGES, 'no reasoning tokens')
const AI_SDK = '@ai-sdk/openai@3.0.141'
const REFUSED = list(
  AI_SDK,
  'reasoning models take no sampling, no log probabilities, no penalties and no logit_bias',
)
const REFUSED_WHILE_REASONING = list(
  AI_SDK,
  'from 5.1 to 5.6 temperature, top_p and log probabilities are taken with the effort none',
)
/** OpenAI's page has them only with an effort, this client without one too: the stricter of the two. */
const REFUSED_BY_6 = list(
  AI_SDK,
  'models from 6 on take no sampling and no log probabilities with any effort',
)
const NOTHING_REFUSED = list(AI_SDK, 'not a reasoning model: everything is sent')
const SCHEMAS = list(OPENAI_PAGES, 'structured outputs')
const NO_SCHEMAS = list(OPENAI_PAGES, 'no structured outputs')
const IMAGES = page(
  'https://developers.openai.com/api/docs/guides/images-vision',
  '2026-11-23',
  'tiles of 512 pixels, or patches of 32 pixels and their multiplier',
)

/** Function tools while it reasons: in chat completions 400 "Please use /v1/responses instead" from GPT-5.4 on. */
const RESPONSES = list(OPENAI_PAGES, 'the page of the model: endpoints: responses')
const RESPONSES_OF_6 = report(
  'https://github.com/jhd3197/Prompture/releases/tag/v1.15.1',
  READ_LAST,
  'gpt-6 models refuse function tools in chat completions, and are asked in Responses',
)

const PLAIN: Sources = {
  context: LIMITS,
  output: LIMITS,
  reasoning: NO_REASONING,
  refused: NOTHING_REFUSED,
  formats: SCHEMAS,
  images: IMAGES,
}
const THINKING: Sources = { ...PLAIN, reasoning: BEFORE_5_1, refused: REFUSED, wire: RESPONSES }
const FROM_5_1: Sources = { ...PLAIN, refused: REFUSED_WHILE_REASONING, wire: RESPONSES }

/** Newer than the copy of the model pages. */
const of6 = (limitsAt: string, reasoning: Source): Sources => {
  const limits = page(
    limitsAt,
    READ,
    'context window of 1,050,000 and up to 128,000 output tokens; structured outputs',
  )
  return {
    context: limits,
    output: limits,
    reasoning,
    refused: REFUSED_BY_6,
    formats: limits,
    wire: RESPONSES_OF_6,
    images: unsupported(
      'the limit of GPT-6 is not published; a photo of 12 megapixels was reported as 14,364',
    ),
  }
}

const OF_5_6: Sources = {
  ...FROM_5_1,
  reasoning: effort('none, low, medium (default), high, xhigh and max'),
  images: unsupported('the limit of GPT-5.6 is not published: as for GPT-6'),
}
/** The package has no page of its own for the name that leads to Sol. */
const SOL = page(
  'https://developers.openai.com/api/docs/models/gpt-5.6-sol',
  READ,
  'gpt-5.6 leads to GPT-5.6 Sol: 1,050,000 tokens of context, 128,000 of output',
)
const ALIAS_IN_RESPONSES = report(
  'https://github.com/BerriAI/litellm/pull/34569',
  READ_LAST,
  'gpt-5.6 answers function tools in chat completions with 400: use /v1/responses or reasoning_effort none',
)
const OF_5_6_ALIAS: Sources = {
  ...OF_5_6,
  context: SOL,
  output: SOL,
  reasoning: SOL,
  formats: SOL,
  wire: ALIAS_IN_RESPONSES,
}

const ASTRA = page(
  'https://docs.oxen.ai/inference-api/reference/models/gpt-6-astra',
  READ,
  'reasoning effort low, medium, high, xhigh and max: none is not among them',
)
const NONE_TO_MAX = page(
  'https://docs.oxen.ai/inference-api/reference/models/gpt-6-sol.md',
  READ,
  'reasoning effort none, low, medium, high, xhigh and max, for Sol and Luna',
)
/** `stop` is refused from o3 and o4-mini on. */
const O3_MINI = list('openai@6.49.0', 'stop is not supported with o3 and o4-mini')

export const openaiModels: readonly CatalogRow[] = [
  {
    model: 'gpt-6-astra',
    name: 'GPT-6 Astra',
    released: '2026-09-03',
    wire: 'openai-responses',
    context: 1_050_000,
    output: 128_000,
    imageTokens: IMAGE_GPT_6,
    hiddenReasoning: 'always',
    capabilities: VISION,
    unsupported: REASONING,
    sources: of6('https://docs.apiyi.com/ru/api-capabilities/gpt-6-astra/overview.md', ASTRA),
  },
  {
    model: 'gpt-6-sol',
    name: 'GPT-6 Sol',
    released: '2026-09-22',
    wire: 'openai-responses',
    context: 1_050_000,
    output: 128_000,
    imageTokens: IMAGE_GPT_6,
    hiddenReasoning: 'by_default',
    capabilities: VISION,
    unsupported: REASONING,
    sources: of6('https://vercel.com/ai-gateway/models/openai/gpt-6-sol.md', NONE_TO_MAX),
  },
  {
    model: 'gpt-6-luna',
    name: 'GPT-6 Luna',
    released: '2026-09-22',
    wire: 'openai-responses',
    context: 1_050_000,
    output: 128_000,
    imageTokens: IMAGE_GPT_6,
    hiddenReasoning: 'by_default',
    capabilities: VISION,
    unsupported: REASONING,
    sources: of6('https://vercel.com/ai-gateway/models/openai/gpt-6-luna.md', NONE_TO_MAX),
  },
  {
    model: 'gpt-5.6',
    name: 'GPT-5.6',
    released: '2026-07-09',
    wire: 'openai-responses',
    context: 1_050_000,
    output: 128_000,
    imageTokens: IMAGE_GPT_6,
    hiddenReasoning: 'by_default',
    capabilities: VISION,
    unsupported: NEVER,
    unsupportedWhileReasoning: WITHOUT_REASONING,
    pricedAs: 'gpt-5.6-sol',
    sources: OF_5_6_ALIAS,
  },
  {
    model: 'gpt-5.6-sol',
    name: 'GPT-5.6 Sol',
    released: '2026-07-09',
    wire: 'openai-responses',
    context: 1_050_000,
    output: 128_000,
    imageTokens: IMAGE_GPT_6,
    hiddenReasoning: 'by_default',
    capabilities: VISION,
    unsupported: NEVER,
    unsupportedWhileReasoning: WITHOUT_REASONING,
    sources: OF_5_6,
  },
  {
    model: 'gpt-5.6-terra',
    name: 'GPT-5.6 Terra',
    released: '2026-07-09',
    wire: 'openai-responses',
    context: 1_050_000,
    output: 128_000,
    imageTokens: IMAGE_GPT_6,
    hiddenReasoning: 'by_default',
    capabilities: VISION,
    unsupported: NEVER,
    unsupportedWhileReasoning: WITHOUT_REASONING,
    sources: OF_5_6,
  },
  {
    model: 'gpt-5.6-luna',
    name: 'GPT-5.6 Luna',
    released: '2026-07-09',
    wire: 'openai-responses',
    context: 1_050_000,
    output: 128_000,
    imageTokens: IMAGE_GPT_6,
    hiddenReasoning: 'by_default',
    capabilities: VISION,
    unsupported: NEVER,
    unsupportedWhileReasoning: WITHOUT_REASONING,
    sources: OF_5_6,
  },
  {
    model: 'gpt-5.5',
    name: 'GPT-5.5',
    released: '2026-04-23',
    wire: 'openai-responses',
    context: 1_050_000,
    output: 128_000,
    imageTokens: IMAGE_ORIGINAL,
    hiddenReasoning: 'by_default',
    capabilities: VISION,
    unsupported: NEVER,
    unsupportedWhileReasoning: WITHOUT_REASONING,
    sources: { ...FROM_5_1, reasoning: effort('none, low, medium (default), high and xhigh') },
  },
  {
    model: 'gpt-5.4',
    name: 'GPT-5.4',
    released: '2026-03-05',
    wire: 'openai-responses',
    context: 1_050_000,
    output: 128_000,
    imageTokens: IMAGE_ORIGINAL,
    hiddenReasoning: 'on_request',
    capabilities: VISION,
    unsupported: NEVER,
    unsupportedWhileReasoning: WITHOUT_REASONING,
    sources: { ...FROM_5_1, reasoning: effort('none (default), low, medium, high and xhigh') },
  },
  {
    model: 'gpt-5.4-mini',
    name: 'GPT-5.4 mini',
    released: '2026-03-17',
    wire: 'openai-responses',
    context: 400_000,
    output: 128_000,
    imageTokens: patched(1.62),
    hiddenReasoning: 'on_request',
    capabilities: VISION,
    unsupported: NEVER,
    unsupportedWhileReasoning: WITHOUT_REASONING,
    sources: { ...FROM_5_1, reasoning: effort('none (default), low, medium, high and xhigh') },
  },
  {
    model: 'gpt-5.4-nano',
    name: 'GPT-5.4 nano',
    released: '2026-03-17',
    wire: 'openai-responses',
    context: 400_000,
    output: 128_000,
    imageTokens: patched(2.46),
    hiddenReasoning: 'on_request',
    capabilities: VISION,
    unsupported: NEVER,
    unsupportedWhileReasoning: WITHOUT_REASONING,
    sources: { ...FROM_5_1, reasoning: effort('none (default), low, medium, high and xhigh') },
  },
  {
    // Tiled or patched, sources differ: the more expensive of the two.
    model: 'gpt-5.2',
    name: 'GPT-5.2',
    released: '2025-12-11',
    wire: 'openai-responses',
    context: 400_000,
    output: 128_000,
    imageTokens: patched(1.62),
    hiddenReasoning: 'on_request',
    capabilities: VISION,
    unsupported: NEVER,
    unsupportedWhileReasoning: WITHOUT_REASONING,
    sources: { ...FROM_5_1, reasoning: effort('none (default), low, medium, high and xhigh') },
  },
  {
    // As for GPT-5.2.
    model: 'gpt-5.1',
    name: 'GPT-5.1',
    released: '2025-11-13',
    wire: 'openai-responses',
    context: 400_000,
    output: 128_000,
    imageTokens: patched(1.62),
    hiddenReasoning: 'on_request',
    capabilities: VISION,
    unsupported: NEVER,
    unsupportedWhileReasoning: WITHOUT_REASONING,
    sources: { ...FROM_5_1, reasoning: effort('none (default), low, medium and high') },
  },
  {
    model: 'gpt-5',
    name: 'GPT-5',
    released: '2025-08-07',
    wire: 'openai-responses',
    context: 400_000,
    output: 128_000,
    imageTokens: tiled(70, 140),
    hiddenReasoning: 'always',
    capabilities: VISION,
    unsupported: REASONING,
    sources: THINKING,
  },
  {
    model: 'gpt-5-mini',
    name: 'GPT-5 mini',
    released: '2025-08-07',
    wire: 'openai-responses',
    context: 400_000,
    output: 128_000,
    imageTokens: patched(1.62),
    hiddenReasoning: 'always',
    capabilities: VISION,
    unsupported: REASONING,
    sources: THINKING,
  },
  {
    model: 'gpt-5-nano',
    name: 'GPT-5 nano',
    released: '2025-08-07',
    wire: 'openai-responses',
    context: 400_000,
    output: 128_000,
    imageTokens: patched(2.46),
    hiddenReasoning: 'always',
    capabilities: VISION,
    unsupported: REASONING,
    sources: THINKING,
  },
  {
    model: 'gpt-4.1',
    name: 'GPT-4.1',
    released: '2025-04-14',
    context: 1_047_576,
    output: 32_768,
    imageTokens: tiled(85, 170),
    capabilities: VISION,
    sources: PLAIN,
  },
  {
    model: 'gpt-4.1-mini',
    name: 'GPT-4.1 mini',
    released: '2025-04-14',
    context: 1_047_576,
    output: 32_768,
    imageTokens: patched(1.62),
    capabilities: VISION,
    sources: PLAIN,
  },
  {
    model: 'gpt-4.1-nano',
    name: 'GPT-4.1 nano',
    released: '2025-04-14',
    context: 1_047_576,
    output: 32_768,
    imageTokens: patched(2.46),
    capabilities: VISION,
    sources: PLAIN,
  },
  {
    model: 'gpt-4o',
    name: 'GPT-4o',
    released: '2024-05-13',
    context: 128_000,
    output: 16_384,
    imageTokens: tiled(85, 170),
    capabilities: VISION,
    sources: PLAIN,
  },
  {
    // The first snapshot: another price, and shorter answers.
    model: 'gpt-4o-2024-05-13',
    name: 'GPT-4o (2024-05-13)',
    released: '2024-05-13',
    context: 128_000,
    output: 4_096,
    imageTokens: tiled(85, 170),
    facts: { responseFormats: ['json_object'] },
    capabilities: VISION,
    sources: { ...PLAIN, formats: NO_SCHEMAS },
  },
  {
    model: 'gpt-4o-mini',
    name: 'GPT-4o mini',
    released: '2024-07-18',
    context: 128_000,
    output: 16_384,
    imageTokens: tiled(2_833, 5_667),
    capabilities: VISION,
    sources: PLAIN,
  },
  {
    model: 'gpt-4-turbo',
    name: 'GPT-4 Turbo',
    released: '2023-11-06',
    context: 128_000,
    output: 4_096,
    imageTokens: tiled(85, 170),
    facts: { responseFormats: ['json_object'] },
    capabilities: VISION,
    sources: { ...PLAIN, formats: NO_SCHEMAS },
  },
  {
    model: 'gpt-3.5-turbo',
    name: 'GPT-3.5 Turbo',
    released: '2023-03-01',
    context: 16_385,
    output: 4_096,
    facts: { responseFormats: ['json_object'] },
    capabilities: TOOLS,
    sources: { ...PLAIN, formats: NO_SCHEMAS },
  },
  {
    model: 'o3',
    name: 'o3',
    released: '2025-04-16',
    wire: 'openai-responses',
    context: 200_000,
    output: 100_000,
    imageTokens: tiled(75, 150),
    hiddenReasoning: 'always',
    capabilities: VISION,
    unsupported: REASONING,
    sources: THINKING,
  },
  {
    // Responses have no `stop`, which this one takes.
    model: 'o3-mini',
    name: 'o3-mini',
    released: '2024-12-20',
    context: 200_000,
    output: 100_000,
    hiddenReasoning: 'always',
    capabilities: TOOLS,
    // `stop` is refused from o3 and o4-mini on.
    unsupported: REASONING.filter((field) => field !== 'stop'),
    sources: { ...PLAIN, reasoning: BEFORE_5_1, refused: O3_MINI },
  },
  {
    model: 'o4-mini',
    name: 'o4-mini',
    released: '2025-04-16',
    wire: 'openai-responses',
    context: 200_000,
    output: 100_000,
    imageTokens: patched(1.72),
    hiddenReasoning: 'always',
    capabilities: VISION,
    unsupported: REASONING,
    sources: THINKING,
  },
]
