import type { Json, JsonObject } from '../../core/json.ts'
import { readObject, readObjects } from '../read.ts'
import { isCallerRunCall } from './callerRun.ts'
import { typeOfItem } from './inputTurns.ts'
import { isVendorItem } from './vendorTools.ts'

const CALL = 'type id call_id status name'
const RESULT = fields('type id call_id status output')

/** Fields that the canonical request has a place for, or that say nothing to a model. */
const ITEM_FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  message: fields('type id status role content'),
  reasoning: fields('type id status summary content encrypted_content'),
  function_call: fields(`${CALL} arguments`),
  custom_tool_call: fields(`${CALL} input`),
  function_call_output: RESULT,
  custom_tool_call_output: RESULT,
  local_shell_call_output: RESULT,
  shell_call_output: RESULT,
  apply_patch_call_output: RESULT,
  additional_tools: fields('type id role tools'),
}
const PART_FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  input_text: fields('type text'),
  output_text: fields('type text'),
  text: fields('type text'),
  input_image: fields('type image_url detail'),
  input_file: fields('type file_data file_url filename'),
  refusal: fields('type refusal'),
}
const TOP_FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  reasoning: fields('effort'),
  text: fields('format verbosity'),
  stream_options: new Set(),
}
/** Of each command. */
const SHELL_OUTPUT = fields('stdout stderr')
const NONE: ReadonlySet<string> = new Set()

/** What of a body has no place in the canonical request, and passes to a provider of this format all the same. */
export function unmodelledIn(body: JsonObject): readonly Json[] {
  const found: Json[] = []
  for (const name in TOP_FIELDS) addUnknown(readObject(body[name]), TOP_FIELDS[name], found)
  for (const item of readObjects(body.input)) {
    if (isVendorItem(item) || isCallerRunCall(item)) continue
    addUnknown(item, ITEM_FIELDS[typeOfItem(item) ?? ''] ?? NONE, found)
    addParts(item.content, found)
    addParts(item.output, found)
    if (item.type === 'shell_call_output')
      for (const ran of readObjects(item.output)) addUnknown(ran, SHELL_OUTPUT, found)
  }
  return found
}

/** Kinds of parts that are not known here are passed on whole. */
function addParts(parts: Json | undefined, found: Json[]): void {
  for (const part of readObjects(parts)) {
    const known = typeof part.type === 'string' ? PART_FIELDS[part.type] : undefined
    if (known) addUnknown(part, known, found)
  }
}

function addUnknown(
  object: JsonObject | undefined,
  known: ReadonlySet<string> | undefined,
  found: Json[],
): void {
  for (const name in object) {
    const value = object[name]
    if (!known?.has(name) && value !== null && value !== undefined && !isEmptyList(value))
      found.push(name, value)
  }
}

/** Clients write `annotations: []`. */
function isEmptyList(value: Json): boolean {
  return Array.isArray(value) && value.length === 0
}

function fields(names: string): ReadonlySet<string> {
  return new Set(names.split(' '))
}
