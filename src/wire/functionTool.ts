import type { Tool } from '../core/chat/request.ts'
import type { Json } from '../core/json.ts'
import { optionalObject, optionalString, present, requireObject, requireString } from './requestReader.ts'
import { UnsupportedField } from './wire.ts'

export type FunctionDefinition = NonNullable<Tool['function']>

/** The function of a tool, for providers that take no other kind. Throws `UnsupportedField`. */
export function requireFunction(tool: Tool, index: number): FunctionDefinition {
  if (tool.type === 'function' && tool.function !== undefined) return tool.function
  throw new UnsupportedField(`tools[${index}].type`, 'This model takes tools of type `function` only.')
}

/** Reads the function of a caller's tool in OpenAI's shape; whether it is strict is said in several ways. */
export function decodeFunction(value: Json | undefined, param: string): FunctionDefinition {
  const { name, description, parameters } = requireObject(value, param)
  return {
    name: requireString(name, `${param}.name`),
    ...present({
      description: optionalString(description, `${param}.description`),
      parameters: optionalObject(parameters, `${param}.parameters`),
    }),
  }
}
