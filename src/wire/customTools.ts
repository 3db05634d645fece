import type { ChatRequest, Message, Tool, ToolCall, ToolChoice } from '../core/chat/request.ts'
import { type Json, type JsonObject, isJsonObject } from '../core/json.ts'
import { readObject, readObjects, readText } from './read.ts'
import { UnsupportedField } from './wire.ts'

/** A request in which custom tools, calls of them, and choices of them are those of functions. */
export interface AsFunctions {
  readonly request: ChatRequest
  /** Calls of these functions are calls of custom tools. */
  readonly names: CustomNames
}

/** The tools of a request by name. */
export interface CustomNames {
  readonly custom: ReadonlySet<string>
  /** Whether the beginning of a name is that of a custom tool, and of a longer name of any tool. */
  mayGoOn(beginning: string): boolean
}

/**
 * A request for a provider that has no custom tools: each is a function with the text `input`. Undefined where the request has
 * none, and no calls of any.
 */
export function asFunctions(request: ChatRequest): AsFunctions | undefined {
  const { tools, toolChoice, messages, source } = request
  const hasTools = tools?.some(isCustom) ?? false
  if (!hasTools && !isChoiceOfCustom(toolChoice) && !messages.some(callsCustom)) return undefined
  const functions = tools?.map(functionOf)
  // They are among the functions.
  const { toolsElsewhere: _tools, ...rest } = request
  return {
    request: {
      ...rest,
      messages: messages.map((message) => (callsCustom(message) ? withFunctionCalls(message) : message)),
      ...(functions && { tools: functions }),
      ...(toolChoice !== undefined && { toolChoice: choiceOf(toolChoice) }),
      // What holds and counts go by, beside the canonical fields.
      ...(source &&
        functions && {
          source: { ...source, body: { ...source.body, tools: functions as unknown as Json } },
        }),
    },
    names: customNames(tools ?? []),
  }
}

export function customNames(tools: readonly Tool[]): CustomNames {
  const custom = new Set(tools.filter(isCustom).map(nameOf))
  let sorted: { readonly custom: string[]; readonly all: string[] } | undefined
  return {
    custom,
    mayGoOn(beginning) {
      sorted ??= { custom: [...custom].toSorted(), all: tools.map(nameOf).toSorted() }
      const first = sorted.custom[placeOf(sorted.custom, (name) => name >= beginning)]
      const longer = sorted.all[placeOf(sorted.all, (name) => name > beginning)]
      return first?.startsWith(beginning) === true && longer?.startsWith(beginning) === true
    },
  }
}

/** The place of the first in a sorted list that is far enough: in each piece of a call a name may be looked for. */
function placeOf(sorted: readonly string[], isFarEnough: (name: string) => boolean): number {
  let from = 0
  let to = sorted.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if (isFarEnough(sorted[middle] ?? '')) to = middle
    else from = middle + 1
  }
  return from
}

/** Throws `UnsupportedField` where a custom tool has the name of another tool: calls of them could not be told apart. */
export function refuseSharedNames(tools: ChatRequest['tools'] = []): void {
  const positions = Map.groupBy(tools.keys(), (i) => nameOf(tools[i] as Tool))
  const shared = tools.findIndex((tool) => isCustom(tool) && (positions.get(nameOf(tool)) ?? []).length > 1)
  if (shared >= 0)
    throw new UnsupportedField(
      `tools[${shared}].custom.name`,
      'This model needs another name for each tool, whatever its type.',
    )
}

/** The arguments of a function that has the input of a custom tool. */
export function argumentsOf(input: string): string {
  return JSON.stringify({ input })
}

function isCustom({ type, custom }: Readonly<Record<string, unknown>>): boolean {
  return type === 'custom' && isJsonObject(custom)
}

function nameOf(tool: Tool): string {
  return tool.function?.name ?? readText(readObject(tool.custom)?.name) ?? ''
}

function callsCustom({ tool_calls: calls }: Message): boolean {
  return calls?.some(isCustom) ?? false
}

function withFunctionCalls(message: Message): Message {
  return { ...message, tool_calls: (message.tool_calls ?? []).map(functionCallOf) }
}

/** A call of a custom tool as that of a function with the text `input`; every other call as it is. */
export function functionCallOf(call: ToolCall): ToolCall {
  if (!isCustom(call)) return call
  const { custom, ...rest } = call
  const { name, input } = readObject(custom) ?? {}
  return {
    ...rest,
    type: 'function',
    function: { name: readText(name) ?? '', arguments: argumentsOf(readText(input) ?? '') },
  }
}

function functionOf(tool: Tool): Tool {
  if (!isCustom(tool)) return tool
  const { custom, ...rest } = tool
  const { name, description, format } = readObject(custom) ?? {}
  return {
    ...rest,
    type: 'function',
    function: {
      name: readText(name) ?? '',
      description: descriptionOf(readText(description), readObject(format)),
      parameters: PARAMETERS,
    },
  }
}

const PARAMETERS: JsonObject = {
  type: 'object',
  properties: { input: { type: 'string', description: 'The whole input, as plain text.' } },
  required: ['input'],
}

/** Descriptions of custom tools may ask for plain text in place of JSON, so the last word says where it goes. */
const INSTRUCTION = 'Give the whole input of this tool as the text of the argument `input`.'

function descriptionOf(description: string | undefined, format: JsonObject | undefined): string {
  return [description, grammarOf(format), INSTRUCTION].filter((part) => part !== undefined).join('\n\n')
}

function grammarOf(format: JsonObject | undefined): string | undefined {
  const { syntax, definition } = readObject(format?.grammar) ?? {}
  const rules = readText(definition)
  if (rules === undefined) return undefined
  const kind = syntax === 'regex' ? 'regular expression' : `grammar (${readText(syntax) ?? 'lark'})`
  return `The input must match this ${kind}:\n${rules}`
}

function isChoiceOfCustom(choice: ToolChoice | undefined): boolean {
  const chosen = readObject(choice)
  if (chosen === undefined) return false
  return isCustom(chosen) || readObjects(readObject(chosen.allowed_tools)?.tools).some(isCustom)
}

function choiceOf(choice: ToolChoice): ToolChoice {
  const chosen = readObject(choice)
  if (chosen === undefined || !isChoiceOfCustom(choice)) return choice
  const allowed = readObject(chosen.allowed_tools)
  const named = allowed
    ? { ...chosen, allowed_tools: { ...allowed, tools: readObjects(allowed.tools).map(namedFunction) } }
    : namedFunction(chosen)
  return named as unknown as ToolChoice
}

function namedFunction(named: JsonObject): JsonObject {
  if (!isCustom(named)) return named
  const { custom, ...rest } = named
  return { ...rest, type: 'function', function: custom }
}
