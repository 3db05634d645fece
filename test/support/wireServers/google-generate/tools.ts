import type { Tool, ToolChoice } from '../../../../src/core/chat/request.ts'
import type { JsonObject } from '../../../../src/core/json.ts'
import { compact, readObject, readObjects, readText } from '../../../../src/wire/read.ts'

export function decodeTools(tools: readonly JsonObject[]): Tool[] {
  return tools.flatMap((tool): Tool[] => {
    const declared = readObjects(tool.functionDeclarations).map(decodeDeclaration)
    const { functionDeclarations: _, ...others } = tool
    // Google's own tools (`googleSearch`, …) are fields of the tool; each keeps its name.
    return [...declared, ...Object.entries(others).map(([type, value]): Tool => ({ type, [type]: value }))]
  })
}

function decodeDeclaration(declaration: JsonObject): Tool {
  const parameters =
    readObject(declaration.parametersJsonSchema) ?? lowerTypes(readObject(declaration.parameters))
  return {
    type: 'function',
    function: {
      name: readText(declaration.name) ?? '',
      ...(typeof declaration.description === 'string' && { description: declaration.description }),
      ...(parameters && { parameters }),
    },
  }
}

/** Nesting beyond this is left as it is. */
const SCHEMA_DEPTH_MAX = 64

/** Google's own schemas are JSON Schema but for the types, which they write in capitals. */
function lowerTypes(schema: JsonObject | undefined, depth = 0): JsonObject | undefined {
  if (!schema || depth > SCHEMA_DEPTH_MAX) return schema
  const { type, properties, items, anyOf } = schema
  const named = readObject(properties)
  const lowered =
    named && Object.entries(named).map(([name, value]) => [name, lowerTypes(readObject(value), depth + 1)])
  return compact({
    ...schema,
    type: typeof type === 'string' ? type.toLowerCase() : type,
    properties: lowered ? (Object.fromEntries(lowered) as JsonObject) : properties,
    items: lowerTypes(readObject(items), depth + 1),
    anyOf: Array.isArray(anyOf)
      ? readObjects(anyOf).map((item) => lowerTypes(item, depth + 1) ?? item)
      : anyOf,
  })
}

export function decodeToolChoice(config: JsonObject | undefined): ToolChoice | undefined {
  const names = Array.isArray(config?.allowedFunctionNames)
    ? config.allowedFunctionNames.filter((name) => typeof name === 'string')
    : []
  const [first, second] = names
  switch (config?.mode) {
    case 'AUTO':
    case 'VALIDATED':
      return 'auto'
    case 'NONE':
      return 'none'
    case 'ANY': {
      if (first === undefined) return 'required'
      if (second === undefined) return { type: 'function', function: { name: first } }
      const tools = names.map((name) => ({ type: 'function', function: { name } }))
      return { type: 'allowed_tools', allowed_tools: { mode: 'required', tools } }
    }
    default:
      return undefined
  }
}
