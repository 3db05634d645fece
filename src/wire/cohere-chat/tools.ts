import type { Tool, ToolChoice } from '../../core/chat/request.ts'
import type { JsonObject } from '../../core/json.ts'
import { requireFunction } from '../functionTool.ts'
import { compact } from '../read.ts'
import { UnsupportedField } from '../wire.ts'

/** Whether tools are strict is said once for all of them. */
export function encodeTools(tools: readonly Tool[]): JsonObject[] {
  return tools.map((tool, index) => {
    const { name, description, parameters } = requireFunction(tool, index)
    return {
      type: 'function',
      function: compact({ name, description, parameters: parameters ?? { type: 'object', properties: {} } }),
    }
  })
}

/** Free choice has no word of its own. */
export function encodeToolChoice(choice: ToolChoice | undefined): string | undefined {
  if (choice === undefined || choice === 'auto') return undefined
  if (choice === 'required') return 'REQUIRED'
  if (choice === 'none') return 'NONE'
  throw new UnsupportedField('tool_choice', '`tool_choice` of this model cannot name one function.')
}
