import { LISTED_LIMITS } from '../publishedLists.ts'
import { BUDGET, BUDGET_OF_PRO, LEVELS, LEVELS_FROM_LOW } from '../reasoning.ts'
import { VISION, type CatalogRow } from '../row.ts'
import { page, recording, report, type Source, type Sources } from '../source.ts'

// https://ai.google.dev/gemini-api/docs/media-resolution: Gemini 3 takes 1,120 at its default resolution.
const IMAGE = 1_200
/** Gemini 2 takes 258 for each tile of 768 pixels, of up to 16. */
const IMAGE_IN_TILES = 16 * 258

/** What its models answer with 400, unless the value is 0. */
const PENALTIES = ['frequency_penalty', 'presence_penalty']

const READ = '2026-11-27'
const READ_AGAIN = '2026-11-28'

const guide = (version: string, says: string): Source =>
  page(
    `https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/guides/gemini-${version}-flash`,
    READ,
    `context window 1,048,576, output 65,536; ${says}`,
  )
const THINKING_LEVELS = 'https://ai.google.dev/gemini-api/docs/thinking'
const PENALTIES_REFUSED = report(
  'https://github.com/google-gemini/cookbook/issues/1290',
  READ,
  'a penalty other than 0 is answered with 400 "Penalty is not enabled for this model" on every model tried',
)
const SCHEMAS = report(
  'https://github.com/vercel/ai/pull/18325',
  READ,
  'Gemini 2.5 and later take JSON schemas; from Gemini 3 on beside tools, too (simstudioai/sim#4184)',
)
const IMAGES = page(
  'https://ai.google.dev/gemini-api/docs/media-resolution',
  '2026-11-23',
  'Gemini 3 takes 1,120 at its default resolution, Gemini 2 takes 258 for each tile',
)
const FLASH_LITE_THINKS = recording(
  'thirteen public repositories',
  '2026-11-25',
  '0 of 9 calls without a level think; the vendor’s guide: the level is minimal by default',
)

const ENDS_WITH_USER = report(
  'https://github.com/LibreChat-AI/agents/pull/323',
  READ_AGAIN,
  '400 of 3.6 Flash and 3.5 Flash-Lite for a model turn at the end, and none of 3.5 Flash and 2.5 Flash; of 3.8 Flash, "Requests ending with a model turn are not supported.": anomalyco/opencode#47034',
)

const COMMON = { refused: PENALTIES_REFUSED, formats: SCHEMAS, images: IMAGES }
const of = (source: Source): Sources => ({ ...COMMON, context: source, output: source, reasoning: source })
const GUIDE_3_8 = of(guide('3-8', 'thinking levels low, medium (default) and high'))
const GUIDE_3_5 = of(
  guide(
    '3-5',
    '3.5 Flash thinks at medium by default, 3.1 Pro at high and not at minimal, Flash-Lite at minimal',
  ),
)
const GEMINI_3 = of(
  page(
    'https://docs.cloud.google.com/vertex-ai/generative-ai/docs/models/gemini/3-flash',
    READ,
    'context window 1,048,576, output 65,536; thinking levels minimal, low, medium and high: none of them disables it',
  ),
)
const FORMAT_OR_TOOLS = report(
  'https://github.com/symfony/ai/issues/1777',
  READ,
  'Gemini 2.5 takes JSON schemas; tools beside them: 400 "Function calling with a response mime type: \'application/json\' is unsupported"',
)
const GEMINI_2_5: Sources = {
  ...COMMON,
  formats: FORMAT_OR_TOOLS,
  context: LISTED_LIMITS,
  output: LISTED_LIMITS,
  reasoning: report(
    'https://github.com/google-gemini/gemini-cli/pull/4652',
    READ,
    `after ${THINKING_LEVELS}: Pro always thinks, Flash by default, Flash-Lite only when it is asked to; 0 disables it but on Pro`,
  ),
}

// https://ai.google.dev/gemini-api/docs/models
export const googleModels: readonly CatalogRow[] = [
  {
    model: 'gemini-3.8-flash',
    name: 'Gemini 3.8 Flash',
    released: '2026-09-02',
    context: 1_048_576,
    output: 65_536,
    imageTokens: IMAGE,
    hiddenReasoning: 'always',
    facts: { reasoning: LEVELS_FROM_LOW, requiresSignedCalls: true, refusesPrefill: true },
    capabilities: VISION,
    unsupported: PENALTIES,
    sources: { ...GUIDE_3_8, turns: ENDS_WITH_USER },
  },
  {
    model: 'gemini-3.5-flash',
    name: 'Gemini 3.5 Flash',
    released: '2026-05-19',
    context: 1_048_576,
    output: 65_536,
    imageTokens: IMAGE,
    hiddenReasoning: 'always',
    facts: { reasoning: LEVELS, requiresSignedCalls: true },
    capabilities: VISION,
    unsupported: PENALTIES,
    sources: GUIDE_3_5,
  },
  {
    model: 'gemini-3.1-pro-preview',
    name: 'Gemini 3.1 Pro Preview',
    released: '2026-02-19',
    context: 1_048_576,
    output: 65_536,
    imageTokens: IMAGE,
    hiddenReasoning: 'always',
    facts: { reasoning: LEVELS_FROM_LOW, requiresSignedCalls: true },
    capabilities: VISION,
    unsupported: PENALTIES,
    sources: GUIDE_3_5,
  },
  {
    model: 'gemini-3.1-flash-lite',
    name: 'Gemini 3.1 Flash-Lite',
    released: '2026-05-07',
    context: 1_048_576,
    output: 65_536,
    imageTokens: IMAGE,
    hiddenReasoning: 'on_request',
    facts: { reasoning: LEVELS, requiresSignedCalls: true },
    capabilities: VISION,
    unsupported: PENALTIES,
    sources: { ...GUIDE_3_5, reasoning: FLASH_LITE_THINKS },
  },
  {
    model: 'gemini-3-flash-preview',
    name: 'Gemini 3 Flash Preview',
    released: '2025-12-17',
    context: 1_048_576,
    output: 65_536,
    imageTokens: IMAGE,
    hiddenReasoning: 'always',
    facts: { reasoning: LEVELS, requiresSignedCalls: true },
    capabilities: VISION,
    unsupported: PENALTIES,
    sources: GEMINI_3,
  },
  {
    model: 'gemini-2.5-pro',
    name: 'Gemini 2.5 Pro',
    released: '2025-06-17',
    context: 1_048_576,
    output: 65_536,
    imageTokens: IMAGE_IN_TILES,
    hiddenReasoning: 'always',
    facts: { reasoning: BUDGET_OF_PRO, formatOrTools: true },
    capabilities: VISION,
    unsupported: PENALTIES,
    sources: GEMINI_2_5,
  },
  {
    model: 'gemini-2.5-flash',
    name: 'Gemini 2.5 Flash',
    released: '2025-06-17',
    context: 1_048_576,
    output: 65_536,
    imageTokens: IMAGE_IN_TILES,
    hiddenReasoning: 'by_default',
    facts: { reasoning: BUDGET, formatOrTools: true },
    capabilities: VISION,
    unsupported: PENALTIES,
    sources: GEMINI_2_5,
  },
  {
    model: 'gemini-2.5-flash-lite',
    name: 'Gemini 2.5 Flash-Lite',
    released: '2025-06-17',
    context: 1_048_576,
    output: 65_536,
    imageTokens: IMAGE_IN_TILES,
    hiddenReasoning: 'on_request',
    facts: { reasoning: BUDGET, formatOrTools: true },
    capabilities: VISION,
    unsupported: PENALTIES,
    sources: GEMINI_2_5,
  },
]
