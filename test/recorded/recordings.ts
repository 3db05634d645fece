import { groq } from './groq.ts'
import type { Recordings } from './recording.ts'

export const RECORDINGS: readonly Recordings[] = [groq]
