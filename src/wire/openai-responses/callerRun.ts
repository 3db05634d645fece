import type { ContentPart, NativeOnly, ToolCall } from '../../core/chat/request.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { textPart } from '../messageParts.ts'
import { readObject, readObjects, readText } from '../read.ts'
import { invalid, isAbsent, optionalString, requireObjects, requireString } from '../requestReader.ts'

// Tools that OpenAI defines and the caller runs, with the items that they make: `Tool` and `ResponseInputItem` of openai 6.49.0. No other
// format has them.

const TOOLS: ReadonlySet<unknown> = new Set(['local_shell', 'shell', 'apply_patch'])
const CALLS: ReadonlySet<unknown> = new Set(['local_shell_call', 'shell_call', 'apply_patch_call'])
const RESULTS: ReadonlySet<unknown> = new Set([
  'local_shell_call_output',
  'shell_call_output',
  'apply_patch_call_output',
])

interface Typed {
  readonly type?: unknown
}

export function isCallerRunTool({ type }: Typed): boolean {
  return TOOLS.has(type)
}

export function isCallerRunCall({ type }: Typed): boolean {
  return CALLS.has(type)
}

export function isCallerRunResult({ type }: Typed): boolean {
  return RESULTS.has(type)
}

/**
 * Refuses a shell in a container of the vendor's, which has no price here, in a tool and in a call of it.
 *
 * @throws InvalidField
 */
export function checkEnvironment({ environment }: JsonObject, param: string): void {
  if (!isAbsent(environment) && readObject(environment)?.type !== 'local')
    invalid(`${param}.environment`, 'must be of the type `local`: a container is not available here')
}

/** What the model wrote stays whole, under the item's type. Throws `InvalidField`. */
export function decodeCallerRunCall(item: JsonObject, param: string): ToolCall {
  checkEnvironment(item, param)
  const { id: _id, type: given, call_id: callId, status: _status, ...said } = item
  const type = requireString(given, `${param}.type`)
  const call = { id: requireString(callId, `${param}.call_id`), type, [type]: said }
  // Calls of other kinds than functions are passed on as they are.
  return call as unknown as ToolCall
}

/** The id of the call: of `local_shell_call_output` its own id is that. Throws `InvalidField`. */
export function callIdOfResult(item: JsonObject, param: string): string {
  if (item.type === 'local_shell_call_output')
    return readText(item.call_id) ?? requireString(item.id, `${param}.id`)
  return requireString(item.call_id, `${param}.call_id`)
}

/** A text, or what each command wrote. Throws `InvalidField`. */
export function decodeCallerRunOutput(
  output: Json | undefined,
  param: string,
): string | readonly ContentPart[] {
  if (isAbsent(output)) return ''
  if (typeof output === 'string') return output
  return requireObjects(output, param).flatMap(({ stdout, stderr }, i) => [
    textPart(optionalString(stdout, `${param}[${i}].stdout`) ?? ''),
    textPart(optionalString(stderr, `${param}[${i}].stderr`) ?? ''),
  ])
}

/** The first thing that only a provider of this format takes: a tool of the request, or an item of its input. */
export function nativeOnlyIn({ input }: JsonObject, tools: readonly Typed[] = []): NativeOnly | undefined {
  const tool = tools.findIndex(isCallerRunTool)
  if (tool >= 0) return nativeOnly(`tools[${tool}].type`, tools[tool]?.type)
  const items = readObjects(input)
  const item = items.findIndex((each) => isCallerRunCall(each) || isCallerRunResult(each))
  return item < 0 ? undefined : nativeOnly(`input[${item}].type`, items[item]?.type)
}

function nativeOnly(param: string, type: unknown): NativeOnly {
  const name = readText(type) ?? ''
  return {
    param,
    message: `This model does not take \`${name}\`: only providers that speak OpenAI's Responses do.`,
  }
}
