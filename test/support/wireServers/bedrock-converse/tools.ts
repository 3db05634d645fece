import type { Tool, ToolChoice } from '../../../../src/core/chat/request.ts'
import type { Json, JsonObject } from '../../../../src/core/json.ts'
import { readObject } from '../../../../src/wire/read.ts'
import {
  optionalBoolean,
  optionalObject,
  optionalString,
  present,
  requireObject,
  requireString,
} from '../../../../src/wire/requestReader.ts'

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
