import type { Tool, ToolChoice } from '../core/chat/request.ts'
import { readObject, readText } from './read.ts'
import { UnsupportedField } from './wire.ts'

export type FunctionDefinition = NonNullable<Tool['function']>

/** The function of a tool, for providers that take no other kind. Throws `UnsupportedField`. */
export function requireFunction(tool: Tool, index: number): FunctionDefinition {
  if (tool.type === 'function' && tool.function !== undefined) return tool.function
  throw new UnsupportedField(`tools[${index}].type`, 'This model takes tools of type `function` only.')
}

/** The one function that a tool choice forces; undefined when it is another kind of choice. */
export function namedFunction(choice: ToolChoice): string | undefined {
  if (typeof choice !== 'object' || choice.type !== 'function') return undefined
  return readText(readObject(choice['function'])?.['name'])
}
