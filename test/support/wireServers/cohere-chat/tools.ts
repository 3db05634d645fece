import type { Tool, ToolChoice } from '../../../../src/core/chat/request.ts'
import type { Json } from '../../../../src/core/json.ts'
import { invalid, requireObject } from '../../../../src/wire/requestReader.ts'
import { decodeFunction } from '../functionTool.ts'

export function decodeTool(value: Json, path: string, strict: boolean | undefined): Tool {
  const definition = decodeFunction(requireObject(value, path)['function'], `${path}.function`)
  return { type: 'function', function: { ...definition, ...(strict === true && { strict }) } }
}

export function decodeToolChoice(value: Json | undefined): ToolChoice | undefined {
  if (value === undefined || value === null) return undefined
  if (value === 'REQUIRED') return 'required'
  return value === 'NONE' ? 'none' : invalid('tool_choice', 'must be REQUIRED or NONE')
}
