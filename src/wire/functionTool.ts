import type { Tool } from '../core/chat/request.ts'
import { UnsupportedField } from './wire.ts'

export type FunctionDefinition = NonNullable<Tool['function']>

/** The function of a tool, for providers that take no other kind. Throws `UnsupportedField`. */
export function requireFunction(tool: Tool, index: number): FunctionDefinition {
  if (tool.type === 'function' && tool.function !== undefined) return tool.function
  throw new UnsupportedField(`tools[${index}].type`, 'This model takes tools of type `function` only.')
}
