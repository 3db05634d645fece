import { anthropic } from './anthropic.ts'
import { azure } from './azure.ts'
import { bedrock } from './bedrock.ts'
import { cerebras } from './cerebras.ts'
import { cohere } from './cohere.ts'
import { deepseek } from './deepseek.ts'
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
import type { Recordings } from './recording.ts'
import { together } from './together.ts'
import { vertex } from './vertex.ts'
import { vllm } from './vllm.ts'
import { xai } from './xai.ts'

export const RECORDINGS: readonly Recordings[] = [
  openai,
  azure,
  anthropic,
  google,
  vertex,
  bedrock,
  mistral,
  cohere,
  deepseek,
  xai,
  openrouter,
  together,
  fireworks,
  cerebras,
  moonshot,
  groq,
  ollama,
  vllm,
  lmstudio,
  llamacpp,
]
