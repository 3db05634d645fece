import type { Differences } from '../difference.ts'

export const RESPONSES_DIFFERENCES: Differences = {}
