import type { ChatRequest, Tool, ToolChoice } from '../../core/chat/request.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { refuseVendorTools, toolChoiceFor, toolsFor } from '../functionTool.ts'
import { compact, readObject, readObjects, readText } from '../read.ts'
import type { RequestFields } from '../requestFields.ts'
import { UnsupportedField } from '../wire.ts'

/** Here a function has parameters; these are none, whether or not it is strict. */
const NO_PARAMETERS: JsonObject = {
  type: 'object',
  properties: {},
  required: [],
  additionalProperties: false,
}

/** Tools without the level between, and what is said of them. Throws `UnsupportedField`. */
export function encodeToolFields(
  request: ChatRequest,
  fields: RequestFields,
): Record<string, Json | undefined> {
  refuseVendorTools(request.tools)
  const tools = toolsFor(request, fields)
  const choice = toolChoiceFor(request, tools, fields)
  const { parallelToolCalls } = request
  const leavesOut = request.tools !== undefined && tools === undefined
  return {
    tools: tools?.map(encodeTool),
    tool_choice: choice === undefined ? undefined : encodeToolChoice(choice),
    parallel_tool_calls: leavesOut
      ? fields.drop({ parallel_tool_calls: parallelToolCalls })
      : fields.optional('parallel_tool_calls', parallelToolCalls),
  }
}

/** `strict` is always written: absent it is true here, and false in chat completions. */
function encodeTool(tool: Tool): JsonObject {
  if (tool.function !== undefined) {
    const { name, description, parameters, strict } = tool.function
    return compact({
      type: 'function',
      name,
      description,
      parameters: parameters ?? NO_PARAMETERS,
      strict: strict ?? false,
    })
  }
  const { name, description, format } = readObject(tool.custom) ?? {}
  return compact({ type: 'custom', name, description, format: encodeFormat(readObject(format)) })
}

function encodeFormat(format: JsonObject | undefined): JsonObject | undefined {
  if (format === undefined) return undefined
  const { grammar, ...rest } = format
  return { ...rest, ...readObject(grammar) }
}

function encodeToolChoice(choice: ToolChoice): Json {
  if (typeof choice === 'string') return choice
  if (choice.type !== 'allowed_tools') return namedTool(choice)
  const allowed = readObject((choice as Readonly<Record<string, unknown>>).allowed_tools)
  return {
    type: 'allowed_tools',
    mode: allowed?.mode === 'required' ? 'required' : 'auto',
    tools: readObjects(allowed?.tools).map(namedTool),
  }
}

function namedTool(chosen: Readonly<Record<string, unknown>>): JsonObject {
  const { type } = chosen
  const holder = type === 'function' || type === 'custom' ? readObject(chosen[type]) : undefined
  const name = readText(holder?.name)
  if (typeof type === 'string' && name !== undefined) return { type, name }
  throw new UnsupportedField('tool_choice', 'This model does not support this kind of tool_choice.')
}
