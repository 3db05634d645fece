import type { ChatRequest, Message, Tool, ToolChoice } from '../../core/chat/request.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { requireFunction } from '../functionTool.ts'
import { namedFunction } from '../jsonSchemaFormat.ts'
import { compact, readObject, readText } from '../read.ts'
import type { RequestFields } from '../requestFields.ts'
import {
  optionalBoolean,
  optionalObject,
  optionalString,
  present,
  requireObject,
  requireString,
} from '../requestReader.ts'
import { UnsupportedField } from '../wire.ts'

const ANY_OBJECT: JsonObject = { type: 'object', properties: {} }
const RETIRED_DESCRIPTION = 'No longer available: do not call it.'

/**
 * Converse wants its `toolConfig` whenever the conversation holds calls, and has no choice `none`. So
 * without tools to offer, the conversation's own are declared, and described as gone.
 */
export function encodeToolConfig(
  request: ChatRequest,
  messages: readonly Message[],
  fields: RequestFields,
): JsonObject | undefined {
  const tools = fields.essential('tools', request.tools) ?? []
  const choice = fields.essential('tool_choice', request.toolChoice)
  if (tools.length > 0 && choice !== 'none') {
    return compact({ tools: tools.map(encodeTool), toolChoice: encodeToolChoice(choice) })
  }
  const called = namesCalled(messages)
  if (called.length === 0) return undefined
  return { tools: called.map((name) => toolSpec({ name, description: RETIRED_DESCRIPTION })) }
}

function encodeTool(tool: Tool, index: number): JsonObject {
  const { name, description, parameters, strict } = requireFunction(tool, index)
  return toolSpec({ name, description, parameters, strict: strict ?? undefined })
}

function toolSpec(tool: {
  name: string
  description?: string | undefined
  parameters?: JsonObject | undefined
  strict?: boolean | undefined
}): JsonObject {
  return {
    toolSpec: compact({
      name: tool.name,
      // An empty description is refused.
      description: readText(tool.description),
      inputSchema: { json: tool.parameters ?? ANY_OBJECT },
      strict: tool.strict,
    }),
  }
}

function encodeToolChoice(choice: ToolChoice | undefined): JsonObject | undefined {
  if (choice === undefined) return undefined
  if (choice === 'auto') return { auto: {} }
  if (choice === 'required') return { any: {} }
  const name = namedFunction(choice)
  if (name !== undefined) return { tool: { name } }
  throw new UnsupportedField('tool_choice', 'This model does not support this kind of tool_choice.')
}

function namesCalled(messages: readonly Message[]): string[] {
  const calls = messages.flatMap((message) =>
    message.role === 'assistant' ? (message.tool_calls ?? []) : [],
  )
  return [...new Set(calls.map((call) => call.function.name))]
}

export function decodeTool(value: Json, path: string): Tool {
  const spec = requireObject(requireObject(value, path)['toolSpec'], `${path}.toolSpec`)
  return {
    type: 'function',
    function: {
      name: requireString(spec['name'], `${path}.toolSpec.name`),
      ...present({
        description: optionalString(spec['description'], `${path}.toolSpec.description`),
        parameters: optionalObject(
          readObject(spec['inputSchema'])?.['json'],
          `${path}.toolSpec.inputSchema.json`,
        ),
        strict: optionalBoolean(spec['strict'], `${path}.toolSpec.strict`),
      }),
    },
  }
}

export function decodeToolChoice(choice: JsonObject | undefined): ToolChoice | undefined {
  if (choice === undefined) return undefined
  if (choice['auto'] !== undefined) return 'auto'
  if (choice['any'] !== undefined) return 'required'
  const name = requireString(readObject(choice['tool'])?.['name'], 'toolConfig.toolChoice.tool.name')
  return { type: 'function', function: { name } }
}
