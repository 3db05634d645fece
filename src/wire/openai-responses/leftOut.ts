import type { Json, JsonObject } from '../../core/json.ts'
import { isAbsent } from '../requestReader.ts'
import { readObject, readObjects, readText } from '../read.ts'
import { isVendorItem, vendorToolOf } from './vendorTools.ts'

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

/** Is always done: the answer has it where the model reasons. */
const ENCRYPTED_REASONING = 'reasoning.encrypted_content'
const LOGPROBS = 'message.output_text.logprobs'

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
  return [...names, ...inTools(body.tools), ...inInput(body.input)]
}

function inTools(tools: Json | undefined): string[] {
  const names = readObjects(tools)
    .filter((tool) => vendorToolOf(tool) === undefined)
    .flatMap((tool) =>
      Object.keys(tool).filter(
        (name) => !isAbsent(tool[name]) && !KNOWN_IN_TOOL[readText(tool.type) ?? '']?.includes(name),
      ),
    )
  return [...new Set(names)].map((name) => `tools.${name}`)
}

/** Items of tools that run at the vendor, and reasoning of which the caller kept nothing but the name. */
function inInput(input: Json | undefined): string[] {
  if (!Array.isArray(input)) return []
  return (input as readonly Json[]).flatMap((value, i) => {
    const item = readObject(value)
    return item && (isVendorItem(item) || isBareReasoning(item)) ? [`input[${i}]`] : []
  })
}

function isBareReasoning({ type, summary, content, encrypted_content: encrypted }: JsonObject): boolean {
  return type === 'reasoning' && !encrypted && isNothing(summary) && isNothing(content)
}

function isNothing(list: Json | undefined): boolean {
  return isAbsent(list) || (Array.isArray(list) && list.length === 0)
}
