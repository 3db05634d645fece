import type { Tool, ToolChoice } from '../../core/chat/request.ts'
import type { JsonObject } from '../../core/json.ts'
import { requireFunction, namedFunction } from '../functionTool.ts'
import { compact, readObject, readObjects, readText } from '../read.ts'
import { UnsupportedField } from '../wire.ts'

/** Only functions: the provider's own tools cost what a usage record does not show. */
export function encodeTools(tools: readonly Tool[], only?: ReadonlySet<string>): JsonObject[] {
  const functionDeclarations = tools.flatMap((tool, i): JsonObject[] => {
    const { name, description, parameters } = requireFunction(tool, i)
    if (only && !only.has(name)) return []
    return [compact({ name, description, parametersJsonSchema: parameters })]
  })
  return [{ functionDeclarations }]
}

/** A tool choice in this format, and the tools that are left by it. */
export interface EncodedToolChoice {
  readonly config: JsonObject | undefined
  /** Names; undefined: all. */
  readonly only?: ReadonlySet<string>
}

export function encodeToolChoice(choice: ToolChoice | undefined): EncodedToolChoice {
  if (choice === undefined) return { config: undefined }
  if (choice === 'none') return { config: { mode: 'NONE' } }
  if (choice === 'auto') return { config: { mode: 'AUTO' } }
  if (choice === 'required') return { config: { mode: 'ANY' } }
  const name = namedFunction(choice)
  if (name !== undefined) return { config: { mode: 'ANY', allowedFunctionNames: [name] } }
  const allowed = readObject(readObject(choice)?.allowed_tools)
  const names = readObjects(allowed?.tools).map((tool) => readText(readObject(tool.function)?.name))
  const known = names.filter((name) => name !== undefined)
  if (choice.type !== 'allowed_tools' || known.length < names.length)
    throw new UnsupportedField('tool_choice', '`tool_choice` of this model can only name functions.')
  // Names may be given only where a call is forced; otherwise the other tools are not shown.
  if (allowed?.mode === 'required') return { config: { mode: 'ANY', allowedFunctionNames: known } }
  return { config: { mode: 'AUTO' }, only: new Set(known) }
}
