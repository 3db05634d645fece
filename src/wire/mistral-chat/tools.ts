import type { ChatRequest, Tool, ToolChoice } from '../../core/chat/request.ts'
import type { Json } from '../../core/json.ts'
import { requireFunction, namedFunction, toolChoiceFor, toolsFor } from '../functionTool.ts'
import { compact } from '../read.ts'
import type { RequestFields } from '../requestFields.ts'
import { UnsupportedField } from '../wire.ts'

export function encodeToolFields(
  request: ChatRequest,
  fields: RequestFields,
): Record<string, Json | undefined> {
  const tools = toolsFor(request, fields)
  const choice = encodeToolChoice(toolChoiceFor(request, tools, fields))
  const { parallelToolCalls } = request
  const leavesOut = request.tools !== undefined && tools === undefined
  return {
    tools: tools && encodeTools(tools),
    tool_choice: choice,
    parallel_tool_calls: leavesOut
      ? fields.drop({ parallel_tool_calls: parallelToolCalls })
      : fields.optional('parallel_tool_calls', parallelToolCalls),
  }
}

function encodeTools(tools: readonly Tool[]): Json {
  return tools.map((tool, index) => {
    const { name, description, parameters, strict } = requireFunction(tool, index)
    return {
      type: 'function',
      function: compact({
        name,
        description,
        strict: strict ?? undefined,
        parameters: parameters ?? { type: 'object', properties: {} },
      }),
    }
  })
}

function encodeToolChoice(choice: ToolChoice | undefined): Json | undefined {
  if (choice === undefined || choice === 'none' || choice === 'auto') return choice
  // `any` is the older name of `required`; every version knows it.
  if (choice === 'required') return 'any'
  const name = namedFunction(choice)
  if (name !== undefined) return { type: 'function', function: { name } }
  throw new UnsupportedField('tool_choice', 'This model does not support this kind of tool_choice.')
}
