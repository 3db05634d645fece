import { type Differences, refused } from '../difference.ts'
import { EVERYWHERE } from './common.ts'

/** The native format: what is asked is what is sent, and what is said is what is given. */
export const OPENAI_DIFFERENCES: Differences = { ...EVERYWHERE, 'six stop sequences': refused('stop') }
