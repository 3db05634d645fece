import type { ChatRequest, Tool, ToolChoice } from '../../core/chat/request.ts'
import type { Json } from '../../core/json.ts'
import { requireFunction, namedFunction } from '../functionTool.ts'
import { compact } from '../read.ts'
import type { RequestFields } from '../requestFields.ts'
import { UnsupportedField } from '../wire.ts'

export function encodeTools(tools: readonly Tool[] | undefined): Json | undefined {
  if (tools === undefined || tools.length === 0) return undefined
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

export function encodeToolChoice(request: ChatRequest, fields: RequestFields): Json | undefined {
  const choice: ToolChoice | undefined = fields.essential('tool_choice', request.toolChoice)
  if (choice === undefined || request.tools === undefined || request.tools.length === 0) return undefined
  if (choice === 'none' || choice === 'auto') return choice
  // `any` is the older name of `required`; every version knows it.
  if (choice === 'required') return 'any'
  const name = namedFunction(choice)
  if (name !== undefined) return { type: 'function', function: { name } }
  throw new UnsupportedField('tool_choice', 'This model does not support this kind of tool_choice.')
}
