import type { Json, JsonObject } from '../../../src/core/json.ts'
import { CannotSay, onlyThese } from '../callers/cannotSay.ts'

/** A tool without the frame that chat completions have around its fields. Throws `CannotSay`. */
export function sayTool({ type, ...others }: JsonObject): JsonObject {
  switch (type) {
    case 'function':
      onlyThese(others, ['function'], 'of a tool the field')
      return { type, ...(others['function'] as JsonObject) }
    case 'custom':
      onlyThese(others, ['custom'], 'of a tool the field')
      return { type, ...sayCustom(others['custom'] as JsonObject) }
    default:
      throw new CannotSay(`a tool of type ${JSON.stringify(type)}`)
  }
}

function sayCustom({ format, ...custom }: JsonObject): JsonObject {
  if (format === undefined || format === null) return custom
  const { grammar, ...kind } = format as JsonObject
  return { ...custom, format: { ...kind, ...((grammar ?? {}) as JsonObject) } }
}

/** Throws `CannotSay` for the name of a tool that is not on offer: a caller of Responses is refused there. */
export function sayChoice({ tool_choice: choice, tools }: JsonObject): Json | undefined {
  if (choice === undefined || choice === null || typeof choice === 'string') return choice
  const { type, allowed_tools: allowed } = choice as JsonObject
  if (type !== 'allowed_tools') {
    const named = sayNamed(choice as JsonObject)
    const offered = Array.isArray(tools) ? (tools as readonly JsonObject[]).map(sayTool) : []
    if (
      offered.length > 0 &&
      !offered.some((tool) => tool['type'] === type && tool['name'] === named['name'])
    )
      throw new CannotSay('the choice of a tool that is not on offer')
    return named
  }
  const { mode, tools: few } = allowed as JsonObject
  return { type, mode: mode ?? null, tools: (few as readonly JsonObject[]).map(sayNamed) }
}

function sayNamed({ type, ...named }: JsonObject): JsonObject {
  if (type !== 'function' && type !== 'custom')
    throw new CannotSay(`a choice of type ${JSON.stringify(type)}`)
  return { type, ...(named[type] as JsonObject) }
}
