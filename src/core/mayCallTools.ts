import type { RequestTraits } from './traits.ts'

/** Whether an answer may hold tool calls: the request offers tools, or functions, and does not forbid to call them. */
export function mayCallTools({ tools, toolChoice, extra }: RequestTraits): boolean {
  if (tools !== undefined && tools.length > 0 && toolChoice !== 'none') return true
  const functions = extra['functions']
  return Array.isArray(functions) && functions.length > 0 && extra['function_call'] !== 'none'
}
