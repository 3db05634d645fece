import type { ChatRequest, Tool, ToolChoice } from '../core/chat/request.ts'
import type { JsonObject } from '../core/json.ts'
import { narrowParameters } from './narrowSchema.ts'
import { readObject, readText } from './read.ts'
import type { RequestFields } from './requestFields.ts'
import { UnsupportedField } from './wire.ts'

export type FunctionDefinition = NonNullable<Tool['function']>

/** The tools to send. Those that must not be called are left out where the model takes none. */
export function toolsFor(
  { tools, toolChoice }: ChatRequest,
  fields: RequestFields,
): readonly Tool[] | undefined {
  const given = tools?.length === 0 ? undefined : tools
  return fields.essential('tools', given, toolChoice !== 'none')
}

/** The tool choice to send beside these tools. A free choice is what a model has without the word. */
export function toolChoiceFor(
  { toolChoice }: ChatRequest,
  tools: readonly Tool[] | undefined,
  fields: RequestFields,
): ToolChoice | undefined {
  if (tools === undefined) return fields.drop({ tool_choice: toolChoice })
  return fields.essential('tool_choice', toolChoice, toolChoice !== 'auto')
}

/** The function of a tool, for providers that take no other kind. Throws `UnsupportedField`. */
export function requireFunction(tool: Tool, index: number): FunctionDefinition {
  if (tool.type === 'function' && tool.function !== undefined) return tool.function
  throw new UnsupportedField(`tools[${index}].type`, 'This model takes tools of type `function` only.')
}

/** Throws `UnsupportedField` for tools that another vendor has defined: they have no schema in OpenAI's formats. */
export function refuseVendorTools(tools: ChatRequest['tools'] = []): void {
  const other = tools.findIndex(({ type }) => type !== 'function' && type !== 'custom')
  if (other >= 0)
    throw new UnsupportedField(
      `tools[${other}].type`,
      'This model takes tools of the types `function` and `custom` only.',
    )
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
  return readText(readObject(choice.function)?.name)
}
