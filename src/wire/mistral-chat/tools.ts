import type { ChatRequest, Tool, ToolChoice } from '../../core/chat/request.ts'
import { isJsonObject, type Json } from '../../core/json.ts'
import { decodeFunction, requireFunction } from '../functionTool.ts'
import { namedFunction } from '../jsonSchemaFormat.ts'
import { compact, readObject } from '../read.ts'
import type { RequestFields } from '../requestFields.ts'
import {
  invalid,
  optionalBoolean,
  optionalString,
  present,
  requireObject,
  requireString,
} from '../requestReader.ts'
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

export function decodeTool(value: Json, path: string): Tool {
  const tool = requireObject(value, path)
  const type = optionalString(tool['type'], `${path}.type`) ?? 'function'
  if (type !== 'function') return { ...tool, type }
  const definition = decodeFunction(tool['function'], `${path}.function`)
  const strict = optionalBoolean(readObject(tool['function'])?.['strict'], `${path}.function.strict`)
  return { type, function: { ...definition, ...present({ strict }) } }
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

export function decodeToolChoice(value: Json | undefined): ToolChoice | undefined {
  if (value === undefined || value === null) return undefined
  if (value === 'none' || value === 'auto' || value === 'required') return value
  if (value === 'any') return 'required'
  const choice = isJsonObject(value) ? value : invalid('tool_choice', 'is unknown')
  const called = requireObject(choice['function'], 'tool_choice.function')
  return { type: 'function', function: { name: requireString(called['name'], 'tool_choice.function.name') } }
}
