import { anthropic } from './anthropic.ts'
import { azure } from './azure.ts'
import { cerebras } from './cerebras.ts'
import { deepseek } from './deepseek.ts'
import { fireworks } from './fireworks.ts'
import { groq } from './groq.ts'
import { moonshot } from './moonshot.ts'
import { openai } from './openai.ts'
import { openrouter } from './openrouter.ts'
import type { Recordings } from './recording.ts'
import { together } from './together.ts'
import { xai } from './xai.ts'

export const RECORDINGS: readonly Recordings[] = [
  openai,
  anthropic,
  azure,
  deepseek,
  xai,
  openrouter,
  together,
  fireworks,
  cerebras,
  moonshot,
  groq,
]
