import type { Json, JsonObject } from '../../core/json.ts'
import { isAbsent } from '../requestReader.ts'
import { readObject, readObjects, readText } from '../read.ts'
import { ENCRYPTED_REASONING, LOGPROBS } from './include.ts'
import { givenTools, isAdditionalTools, toolsLeftIn } from './additionalTools.ts'
import { isVendorItem } from './vendorTools.ts'

const KNOWN: ReadonlySet<string> = new Set(
  `model input instructions stream max_output_tokens temperature top_p tools tool_choice parallel_tool_calls text reasoning
  include store background truncation user metadata moderation safety_identifier prompt_cache_key prompt_cache_options
  prompt_cache_retention service_tier stream_options top_logprobs conversation prompt previous_response_id`.split(
    /\s+/,
  ),
)

/** What is read within these. */
const KNOWN_WITHIN: Readonly<Record<string, readonly string[]>> = {
  reasoning: ['effort'],
  text: ['format', 'verbosity'],
  stream_options: [],
}

const KNOWN_IN_TOOL: Readonly<Record<string, readonly string[]>> = {
  function: ['type', 'name', 'description', 'parameters', 'strict'],
  custom: ['type', 'name', 'description', 'format'],
}

/** The names of what says something and has no place in a request of every provider: it is left out. */
export function leftOutOf(body: JsonObject): string[] {
  const names: string[] = []
  for (const name in body) if (!KNOWN.has(name) && !isAbsent(body[name])) names.push(name)
  for (const name in KNOWN_WITHIN) {
    const object = readObject(body[name])
    for (const inner in object)
      if (!KNOWN_WITHIN[name]?.includes(inner) && !isAbsent(object[inner])) names.push(`${name}.${inner}`)
  }
  if (body.truncation === 'auto') names.push('truncation')
  const include = Array.isArray(body.include) ? (body.include as readonly Json[]) : []
  for (const value of include)
    if (value !== ENCRYPTED_REASONING && value !== LOGPROBS) names.push(`include[${readText(value) ?? ''}]`)
  if (!isAbsent(body.top_logprobs) && body.top_logprobs !== 0 && !include.includes(LOGPROBS))
    names.push('top_logprobs')
  return [...names, ...inTools(body), ...inInput(body.input)]
}

function inTools(body: JsonObject): string[] {
  const names = givenTools(body).flatMap(({ tool }) =>
    Object.keys(tool).filter(
      (name) => !isAbsent(tool[name]) && !KNOWN_IN_TOOL[readText(tool.type) ?? '']?.includes(name),
    ),
  )
  return [...new Set(names)].map((name) => `tools.${name}`)
}

function inInput(input: Json | undefined): string[] {
  const names = readObjects(input).flatMap((item) => (isLeftOut(item) ? nameOfItem(item) : []))
  return [...new Set(names)]
}

/** An item that is left out, by its type: `input[web_search_call]`. */
export function nameOfItem({ type }: JsonObject): string {
  return `input[${readText(type) ?? ''}]`
}

/** An item of a tool that runs at the vendor, or with nothing but such tools, or reasoning without all but its name. */
function isLeftOut(item: JsonObject): boolean {
  return isVendorItem(item) || isWithoutTools(item) || isBareReasoning(item)
}

/** An item that adds tools, of which none is left. */
export function isWithoutTools(item: JsonObject): boolean {
  return isAdditionalTools(item) && toolsLeftIn(item).length === 0
}

function isBareReasoning({ type, summary, content, encrypted_content: encrypted }: JsonObject): boolean {
  return type === 'reasoning' && !encrypted && isNothing(summary) && isNothing(content)
}

function isNothing(list: Json | undefined): boolean {
  return isAbsent(list) || (Array.isArray(list) && list.length === 0)
}
