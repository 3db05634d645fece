import type { Tool, ToolChoice } from '../core/chat/request.ts'
import type { JsonObject } from '../core/json.ts'
import { narrowParameters } from './narrowSchema.ts'
import { readObject, readText } from './read.ts'
import type { RequestFields } from './requestFields.ts'
import { UnsupportedField } from './wire.ts'

export type FunctionDefinition = NonNullable<Tool['function']>

/** The function of a tool, for providers that take no other kind. Throws `UnsupportedField`. */
export function requireFunction(tool: Tool, index: number): FunctionDefinition {
  if (tool.type === 'function' && tool.function !== undefined) return tool.function
  throw new UnsupportedField(`tools[${index}].type`, 'This model takes tools of type `function` only.')
}

/**
 * The schema of a function's arguments, in the narrower grammar of Claude and Bedrock where it is strict. One that the
 * grammar cannot say is not strict, and `fields` notes it.
 */
export function strictParameters(
  { parameters, strict }: FunctionDefinition,
  fields: RequestFields,
): { readonly parameters: JsonObject | undefined; readonly strict: boolean | undefined } {
  if (strict !== true) return { parameters, strict: strict ?? undefined }
  const narrowed = narrowParameters(parameters)
  if (narrowed.ok) return { parameters: narrowed.schema, strict }
  fields.drop({ 'tools.function.strict': true })
  return { parameters, strict: undefined }
}

/** The one function that a tool choice forces; undefined when it is another kind of choice. */
export function namedFunction(choice: ToolChoice): string | undefined {
  if (typeof choice !== 'object' || choice.type !== 'function') return undefined
  return readText(readObject(choice['function'])?.['name'])
}
