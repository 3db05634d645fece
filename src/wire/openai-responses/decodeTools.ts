import type { ChatRequest, Tool, ToolChoice } from '../../core/chat/request.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { printableStart } from '../../core/printable.ts'
import { compact, readObject, readText } from '../read.ts'
import {
  invalid,
  isAbsent,
  optionalBoolean,
  optionalObject,
  optionalString,
  requireObject,
  requireObjects,
  requireString,
} from '../requestReader.ts'
import { checkName } from '../check.ts'
import { givenTools, kindsLeftOut } from './additionalTools.ts'
import { checkEnvironment, isCallerRunTool } from './callerRun.ts'
import { vendorToolOf } from './vendorTools.ts'

export interface DecodedTools {
  readonly fields: Pick<ChatRequest, 'tools' | 'toolChoice' | 'parallelToolCalls'>
  /** The kinds of tools that are left out. */
  readonly leftOut: readonly string[]
}

/** Tools, wherever the body has them, and what hangs on them. Throws `InvalidField`. */
export function decodeTools(body: JsonObject): DecodedTools {
  if (!isAbsent(body.tools)) requireObjects(body.tools, 'tools')
  const leftOut = kindsLeftOut(body)
  const tools = givenTools(body).map(({ tool, param }) => decodeTool(tool, param))
  const parallelToolCalls = optionalBoolean(body.parallel_tool_calls, 'parallel_tool_calls')
  const toolChoice = decodeToolChoice(body.tool_choice, tools, leftOut.length > 0)
  if (tools.length === 0) return { fields: {}, leftOut }
  return {
    fields: {
      tools,
      ...(toolChoice !== undefined && { toolChoice }),
      ...(parallelToolCalls !== undefined && { parallelToolCalls }),
    },
    leftOut,
  }
}

function decodeTool(tool: JsonObject, param: string): Tool {
  const type = requireString(tool.type, `${param}.type`)
  if (isCallerRunTool(tool)) {
    checkEnvironment(tool, param)
    return { ...tool, type }
  }
  if (type !== 'function' && type !== 'custom')
    invalid(`${param}.type`, `is \`${printableStart(type)}\`, a type of tool that is not available here`)
  const name = checkName(tool.name ?? undefined, `${param}.name`)
  const description = optionalString(tool.description, `${param}.description`)
  if (type === 'custom') {
    const format = decodeGrammar(optionalObject(tool.format, `${param}.format`), `${param}.format`)
    return { type, custom: compact({ name, description, format }) }
  }
  const parameters = optionalObject(tool.parameters, `${param}.parameters`)
  const strict = optionalBoolean(tool.strict, `${param}.strict`)
  return {
    type,
    function: {
      name,
      ...(description !== undefined && { description }),
      ...(parameters !== undefined && { parameters }),
      ...(strict !== undefined && { strict }),
    },
  }
}

function decodeGrammar(format: JsonObject | undefined, param: string): JsonObject | undefined {
  if (format === undefined) return undefined
  const type = requireString(format.type, `${param}.type`)
  if (type !== 'grammar') return { type }
  const syntax = requireString(format.syntax, `${param}.syntax`)
  return { type, grammar: { syntax, definition: requireString(format.definition, `${param}.definition`) } }
}

/** A choice among tools of which none was given is none. */
function decodeToolChoice(
  value: Json | undefined,
  tools: readonly Tool[],
  someLeftOut: boolean,
): ToolChoice | undefined {
  if (isAbsent(value)) return undefined
  const choice = readChoice(value, tools)
  if (tools.length > 0 || !someLeftOut || choice === 'auto' || choice === 'none') return choice
  return invalid('tool_choice', 'demands a tool, and none of `tools` is left')
}

function readChoice(value: Json, tools: readonly Tool[]): ToolChoice {
  if (value === 'none' || value === 'auto' || value === 'required') return value
  const choice = typeof value === 'string' ? invalidChoice() : requireObject(value, 'tool_choice')
  const type = requireString(choice.type, 'tool_choice.type')
  if (isNameable(choice)) {
    const named = namedTool(choice, 'tool_choice')
    if (tools.length > 0 && !tools.some((tool) => signOf(tool) === signOf(named)))
      invalid(isCallerRunTool(choice) ? 'tool_choice.type' : 'tool_choice.name', 'names none of `tools`')
    return named
  }
  if (type === 'allowed_tools') return allowedTools(choice, tools)
  return invalid('tool_choice', 'demands a tool that is not available here')
}

function invalidChoice(): never {
  return invalid('tool_choice', 'must be `none`, `auto`, `required` or an object')
}

function isNameable(tool: JsonObject): boolean {
  return tool.type === 'function' || tool.type === 'custom' || isCallerRunTool(tool)
}

/** A tool as chat completions name it: under a field that is called as its type. One that has no name is named by its type. */
function namedTool(tool: JsonObject, param: string): ToolChoice & JsonObject & { readonly type: string } {
  const type = requireString(tool.type, `${param}.type`)
  if (isCallerRunTool(tool)) return { type }
  return { type, [type]: { name: requireString(tool.name, `${param}.name`) } }
}

/** Its type and its name: no type has a blank. */
function signOf(tool: Readonly<Record<string, unknown>>): string {
  const type = readText(tool.type) ?? ''
  return `${type} ${readText(readObject(tool[type])?.name) ?? ''}`
}

function allowedTools(choice: JsonObject, tools: readonly Tool[]): ToolChoice {
  const mode = choice.mode ?? 'auto'
  if (mode !== 'auto' && mode !== 'required') invalid('tool_choice.mode', 'must be `auto` or `required`')
  const allowed = requireObjects(choice.tools, 'tool_choice.tools')
    .map((tool, i): JsonObject | undefined => {
      if (vendorToolOf(tool) !== undefined) return undefined
      if (!isNameable(tool))
        invalid(`tool_choice.tools[${i}].type`, 'is a type of tool that is not available here')
      return namedTool(tool, `tool_choice.tools[${i}]`)
    })
    .filter((tool) => tool !== undefined)
  if (tools.length === 0) return mode
  const known = new Set(tools.map(signOf))
  if (allowed.some((named) => known.has(signOf(named))))
    return { type: 'allowed_tools', allowed_tools: { mode, tools: allowed } }
  return mode === 'auto' ? 'none' : invalid('tool_choice.tools', 'names none of `tools` that is left')
}
