import { TOOLS, VISION, type CatalogRow } from '../row.ts'

// https://console.groq.com/docs/models
export const groqModels: readonly CatalogRow[] = [
  {
    model: 'openai/gpt-oss-120b',
    name: 'GPT OSS 120B (Groq)',
    released: '2025-08-05',
    context: 131_072,
    output: 65_536,
    capabilities: TOOLS,
  },
  {
    model: 'openai/gpt-oss-20b',
    name: 'GPT OSS 20B (Groq)',
    released: '2025-08-05',
    context: 131_072,
    output: 65_536,
    capabilities: TOOLS,
  },
  {
    model: 'llama-3.3-70b-versatile',
    name: 'Llama 3.3 70B (Groq)',
    released: '2024-12-06',
    context: 131_072,
    output: 32_768,
    capabilities: TOOLS,
  },
  {
    model: 'llama-3.1-8b-instant',
    name: 'Llama 3.1 8B (Groq)',
    released: '2024-07-23',
    context: 131_072,
    output: 131_072,
    capabilities: TOOLS,
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
  },
  {
    model: 'qwen/qwen3-32b',
    name: 'Qwen3 32B (Groq)',
    released: '2025-06-11',
    context: 131_072,
    output: 40_960,
    capabilities: TOOLS,
  },
]
