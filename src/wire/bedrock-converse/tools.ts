import type { ChatRequest, Message, Tool, ToolChoice } from '../../core/chat/request.ts'
import type { JsonObject } from '../../core/json.ts'
import { namedFunction, requireFunction, strictParameters, toolChoiceFor, toolsFor } from '../functionTool.ts'
import { compact, readText } from '../read.ts'
import type { RequestFields } from '../requestFields.ts'
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
  const tools = toolsFor(request, fields)
  const choice = toolChoiceFor(request, tools, fields)
  if (tools !== undefined && choice !== 'none') {
    return compact({
      tools: tools.map((tool, index) => encodeTool(tool, index, fields)),
      toolChoice: encodeToolChoice(choice),
    })
  }
  const called = namesCalled(messages)
  if (called.length === 0) return undefined
  return { tools: called.map((name) => toolSpec({ name, description: RETIRED_DESCRIPTION })) }
}

function encodeTool(tool: Tool, index: number, fields: RequestFields): JsonObject {
  const called = requireFunction(tool, index)
  const { name, description } = called
  return toolSpec({ name, description, ...strictParameters(called, fields) })
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
