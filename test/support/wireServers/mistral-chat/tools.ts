import type { Tool, ToolChoice } from '../../../../src/core/chat/request.ts'
import { isJsonObject, type Json } from '../../../../src/core/json.ts'
import { readObject } from '../../../../src/wire/read.ts'
import {
  invalid,
  optionalBoolean,
  optionalString,
  present,
  requireObject,
  requireString,
} from '../../../../src/wire/requestReader.ts'
import { decodeFunction } from '../functionTool.ts'

export function decodeTool(value: Json, path: string): Tool {
  const tool = requireObject(value, path)
  const type = optionalString(tool['type'], `${path}.type`) ?? 'function'
  if (type !== 'function') return { ...tool, type }
  const definition = decodeFunction(tool['function'], `${path}.function`)
  const strict = optionalBoolean(readObject(tool['function'])?.['strict'], `${path}.function.strict`)
  return { type, function: { ...definition, ...present({ strict }) } }
}

export function decodeToolChoice(value: Json | undefined): ToolChoice | undefined {
  if (value === undefined || value === null) return undefined
  if (value === 'none' || value === 'auto' || value === 'required') return value
  if (value === 'any') return 'required'
  const choice = isJsonObject(value) ? value : invalid('tool_choice', 'is unknown')
  const called = requireObject(choice['function'], 'tool_choice.function')
  return { type: 'function', function: { name: requireString(called['name'], 'tool_choice.function.name') } }
}
