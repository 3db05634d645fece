import type { Tool, ToolChoice } from '../../core/chat/request.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { requireFunction, strictParameters } from '../functionTool.ts'
import { compact, readObject, readObjects, readText } from '../read.ts'
import type { RequestFields } from '../requestFields.ts'
import { UnsupportedField } from '../wire.ts'

/** Only functions: the provider's own tools cost what a usage record does not show. */
export function encodeTools(
  tools: readonly Tool[],
  fields: RequestFields,
  only?: ReadonlySet<string>,
): JsonObject[] {
  return tools.flatMap((tool, i): JsonObject[] => {
    const called = requireFunction(tool, i)
    const { name, description } = called
    if (only && !only.has(name)) return []
    const { parameters, strict } = strictParameters(called, fields)
    return [
      compact({
        name,
        description,
        input_schema: { type: 'object', ...(parameters ?? { properties: {} }) },
        strict,
        cache_control: tool.cache_control as Json | undefined,
      }),
    ]
  })
}

/** Tools that run at the vendor and have no price: agents send these by default, so that a call goes on without them. */
const VENDOR_TOOL = /^(web_search|tool_search)(?:_|$)/

/** Which of the tools that are left out this is; undefined: it is sent. */
export function vendorTool({ type }: JsonObject): string | undefined {
  return VENDOR_TOOL.exec(readText(type) ?? '')?.[1]
}

export function decodeTools(tools: readonly JsonObject[]): Tool[] {
  return tools.map((tool): Tool => {
    // Tools that Anthropic defines have a dated type; they are carried under it.
    if (typeof tool.type === 'string' && tool.type !== 'custom') return { ...tool, type: tool.type }
    const parameters = readObject(tool.input_schema)
    return {
      type: 'function',
      function: {
        name: readText(tool.name) ?? '',
        ...(typeof tool.description === 'string' && { description: tool.description }),
        ...(parameters && { parameters }),
        ...(typeof tool.strict === 'boolean' && { strict: tool.strict }),
      },
      ...(tool.cache_control !== undefined && { cache_control: tool.cache_control }),
    }
  })
}

/** A tool choice in this format, and the tools that are left by it. */
export interface EncodedToolChoice {
  readonly choice: JsonObject | undefined
  /** Names; undefined: all. */
  readonly only?: ReadonlySet<string>
}

export function encodeToolChoice(
  choice: ToolChoice | undefined,
  parallel: boolean | undefined,
): EncodedToolChoice {
  const single = parallel === false ? { disable_parallel_tool_use: true } : {}
  if (choice === undefined) return { choice: parallel === false ? { type: 'auto', ...single } : undefined }
  if (choice === 'none') return { choice: { type: 'none' } }
  if (choice === 'auto') return { choice: { type: 'auto', ...single } }
  if (choice === 'required') return { choice: { type: 'any', ...single } }
  if (choice.type === 'function')
    return { choice: { type: 'tool', name: functionName(choice, 'tool_choice'), ...single } }
  if (choice.type !== 'allowed_tools')
    throw new UnsupportedField('tool_choice', '`tool_choice` of this model can only name functions.')
  const allowed = readObject((choice as Readonly<Record<string, unknown>>).allowed_tools)
  const names = readObjects(allowed?.tools).map((tool) =>
    functionName(tool, 'tool_choice.allowed_tools.tools'),
  )
  return {
    choice: { type: allowed?.mode === 'required' ? 'any' : 'auto', ...single },
    only: new Set(names),
  }
}

export function decodeToolChoice(choice: JsonObject | undefined): {
  toolChoice?: ToolChoice
  parallelToolCalls?: boolean
} {
  if (!choice) return {}
  const parallel = choice.disable_parallel_tool_use === true ? { parallelToolCalls: false } : {}
  switch (choice.type) {
    case 'auto':
      return { toolChoice: 'auto', ...parallel }
    case 'any':
      return { toolChoice: 'required', ...parallel }
    case 'none':
      return { toolChoice: 'none' }
    case 'tool':
      return {
        toolChoice: { type: 'function', function: { name: readText(choice.name) ?? '' } },
        ...parallel,
      }
    default:
      return parallel
  }
}

/** Whether the choice leaves the model no answer but a call. */
export function forcesTool(choice: JsonObject | undefined): boolean {
  return choice?.type === 'any' || choice?.type === 'tool'
}

function functionName(value: Readonly<Record<string, unknown>>, param: string): string {
  const name = readText(readObject(value.function)?.name)
  if (name === undefined)
    throw new UnsupportedField(param, '`tool_choice` of this model can only name functions.')
  return name
}
