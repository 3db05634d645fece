import { LISTED_LIMITS } from '../publishedLists.ts'
import { TOOLS, VISION, type CatalogRow } from '../row.ts'
import { page, unsupported, type Sources } from '../source.ts'

const READ = '2026-11-27'
const SOURCES: Sources = {
  context: LISTED_LIMITS,
  output: LISTED_LIMITS,
  reasoning: page(
    'https://console.groq.com/docs/reasoning',
    READ,
    'models that reason show it in the field reasoning, unless it is hidden on request',
  ),
  refused: unsupported(
    'no page says that one model refuses what the others take; the quirks of Groq are for all',
  ),
  formats: page(
    'https://console.groq.com/docs/structured-outputs',
    READ,
    'json_schema with gpt-oss and some others, json_object with the rest',
  ),
}
const SCOUT: Sources = {
  ...SOURCES,
  formats: unsupported('whether it takes json_schema could not be read: it is sent'),
  images: unsupported('Groq does not say: as the image processor of the model cuts them'),
}

// https://console.groq.com/docs/models
export const groqModels: readonly CatalogRow[] = [
  {
    model: 'openai/gpt-oss-120b',
    name: 'GPT OSS 120B (Groq)',
    released: '2025-08-05',
    context: 131_072,
    output: 65_536,
    capabilities: TOOLS,
    sources: SOURCES,
  },
  {
    model: 'openai/gpt-oss-20b',
    name: 'GPT OSS 20B (Groq)',
    released: '2025-08-05',
    context: 131_072,
    output: 65_536,
    capabilities: TOOLS,
    sources: SOURCES,
  },
  {
    model: 'llama-3.3-70b-versatile',
    name: 'Llama 3.3 70B (Groq)',
    released: '2024-12-06',
    context: 131_072,
    output: 32_768,
    facts: { responseFormats: ['json_object'] },
    capabilities: TOOLS,
    sources: SOURCES,
  },
  {
    model: 'llama-3.1-8b-instant',
    name: 'Llama 3.1 8B (Groq)',
    released: '2024-07-23',
    context: 131_072,
    output: 131_072,
    facts: { responseFormats: ['json_object'] },
    capabilities: TOOLS,
    sources: SOURCES,
  },
  {
    model: 'meta-llama/llama-4-scout-17b-16e-instruct',
    name: 'Llama 4 Scout (Groq)',
    released: '2025-04-05',
    context: 131_072,
    output: 8_192,
    // Sixteen tiles and the whole, 144 tokens each (Llama 4's image processor), and their separators.
    imageTokens: 2_500,
    capabilities: VISION,
    sources: SCOUT,
  },
  {
    model: 'qwen/qwen3-32b',
    name: 'Qwen3 32B (Groq)',
    released: '2025-06-11',
    context: 131_072,
    output: 40_960,
    facts: { responseFormats: ['json_object'] },
    capabilities: TOOLS,
    sources: SOURCES,
  },
]
