import { isJsonObject, type Json } from '../../core/json.ts'
import type { ResponseFormat, Tool, ToolChoice } from '../../core/chat/request.ts'
import { InvalidField, checkList, checkDepth, checkName, checkObject } from '../check.ts'
import { readObject, readObjects, readText, withoutNulls } from '../read.ts'
import { isAbsent } from '../requestReader.ts'

/** Checks tools as far as codecs trust them; other kinds than functions are carried as they are. */
export function decodeTools(value: Json): readonly Tool[] {
  const tools = checkList(value, 'tools')
  for (const [i, tool] of tools.entries()) {
    const { type, function: definition } = checkObject(tool, `tools[${i}]`)
    if (checkName(type, `tools[${i}].type`) === 'function') {
      const { name, parameters } = checkObject(definition, `tools[${i}].function`)
      checkName(name, `tools[${i}].function.name`)
      if (!isAbsent(parameters)) {
        checkObject(parameters, `tools[${i}].function.parameters`)
      }
    }
    checkDepth(tool, `tools[${i}]`)
  }
  return (tools as readonly Tool[]).map(cleanTool)
}

/** Clients write `null` where a function has no description, no parameters, or is not strict. */
function cleanTool(tool: Tool): Tool {
  const definition = tool.type === 'function' ? tool.function : undefined
  const clean = definition && withoutNulls(definition)
  return clean === undefined || clean === definition ? tool : { ...tool, function: clean }
}

export function decodeToolChoice(value: Json): ToolChoice {
  if (typeof value === 'string') {
    if (value === 'none' || value === 'auto' || value === 'required') return value
    throw new InvalidField('tool_choice', 'must be `none`, `auto`, `required` or an object')
  }
  const choice = checkObject(value, 'tool_choice')
  if (checkName(choice.type, 'tool_choice.type') === 'function') {
    const { name } = checkObject(choice.function, 'tool_choice.function')
    checkName(name, 'tool_choice.function.name')
  }
  checkDepth(choice, 'tool_choice')
  return choice as ToolChoice
}

/** Throws where a choice names functions, and none of them is among the tools. */
export function checkToolChoice(choice: ToolChoice | undefined, tools: readonly Tool[] | undefined): void {
  const chosen = readObject(choice)
  if (tools === undefined || chosen === undefined) return
  const named = chosen.type === 'function' ? [chosen] : readObjects(readObject(chosen.allowed_tools)?.tools)
  const names = new Set(named.map((tool) => readText(readObject(tool.function)?.name)))
  if (names.size === 0 || names.has(undefined)) return
  if (tools.some((tool) => names.has(tool.function?.name))) return
  throw new InvalidField('tool_choice', 'names no function that is in `tools`')
}

export function decodeResponseFormat(value: Json): ResponseFormat {
  const format = checkObject(value, 'response_format')
  if (checkName(format.type, 'response_format.type') === 'json_schema') {
    const { name, schema } = checkObject(format.json_schema, 'response_format.json_schema')
    checkName(name, 'response_format.json_schema.name')
    if (!isAbsent(schema)) {
      checkObject(schema, 'response_format.json_schema.schema')
    }
  }
  checkDepth(format, 'response_format')
  const { json_schema: asked } = format
  const clean = isJsonObject(asked) ? withoutNulls(asked) : asked
  return (clean === asked ? format : { ...format, json_schema: clean }) as ResponseFormat
}
