import { anthropic } from './anthropic.ts'
import { azure } from './azure.ts'
import { bedrock } from './bedrock.ts'
import { cerebras } from './cerebras.ts'
import { cohere } from './cohere.ts'
import { deepseek } from './deepseek.ts'
import { demo } from './demo.ts'
import { fireworks } from './fireworks.ts'
import { google } from './google.ts'
import { groq } from './groq.ts'
import { llamacpp } from './llamacpp.ts'
import { lmstudio } from './lmstudio.ts'
import { mistral } from './mistral.ts'
import { moonshot } from './moonshot.ts'
import { ollama } from './ollama.ts'
import { openai } from './openai.ts'
import { openrouter } from './openrouter.ts'
import { together } from './together.ts'
import { vertex } from './vertex.ts'
import { vllm } from './vllm.ts'
import { xai } from './xai.ts'
import type { Provider } from './provider.ts'

/** Every provider that needs neither a wire format nor a URL in the configuration. */
export const PROVIDERS: readonly Provider[] = [
  openai,
  anthropic,
  google,
  vertex,
  bedrock,
  azure,
  mistral,
  cohere,
  deepseek,
  groq,
  xai,
  together,
  fireworks,
  openrouter,
  cerebras,
  moonshot,
  ollama,
  vllm,
  lmstudio,
  llamacpp,
  demo,
]

const byId = new Map(PROVIDERS.map((provider) => [provider.id, provider]))

/** Finds a provider's row by its id. */
export function knownProvider(id: string): Provider | undefined {
  return byId.get(id)
}
