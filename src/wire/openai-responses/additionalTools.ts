import type { Json, JsonObject } from '../../core/json.ts'
import { isJsonObject } from '../../core/json.ts'
import { readObjects } from '../read.ts'
import { invalid, requireObjects } from '../requestReader.ts'
import { vendorToolOf } from './vendorTools.ts'

/** A tool of a request. */
export interface GivenTool {
  readonly tool: JsonObject
  /** The caller's path to it. */
  readonly param: string
}

/** An item of input with which a developer adds tools: `ResponseInputItem.AdditionalTools` of openai 6.49.0. */
export function isAdditionalTools({ type }: JsonObject): boolean {
  return type === 'additional_tools'
}

/** Throws `InvalidField`. */
export function checkAdditionalTools({ role, tools }: JsonObject, param: string): void {
  if (role !== 'developer') invalid(`${param}.role`, 'must be `developer`')
  requireObjects(tools, `${param}.tools`)
}

/** The tools of such an item without those of the vendor. */
export function toolsLeftIn({ tools }: JsonObject): readonly JsonObject[] {
  return readObjects(tools).filter((tool) => vendorToolOf(tool) === undefined)
}

/** All tools in the items of input, as they came, without those of the vendor. */
export function toolsWithin(input: Json | undefined): readonly JsonObject[] {
  return readObjects(input).filter(isAdditionalTools).flatMap(toolsLeftIn)
}

/** The kinds of tools that are left out, wherever they are. */
export function kindsLeftOut({ tools, input }: JsonObject): readonly string[] {
  const within = readObjects(input).filter(isAdditionalTools)
  const all = [tools, ...within.map((item) => item.tools)].flatMap(readObjects)
  return [...new Set(all.flatMap((tool) => vendorToolOf(tool) ?? []))]
}

/**
 * The tools that a model gets: those of the body, then those that its input adds, without those of the vendor. An added one replaces
 * an earlier one of its type and name, in its place.
 */
export function givenTools({ tools, input }: JsonObject): readonly GivenTool[] {
  const given = toolsAt(tools, 'tools')
  const places = new Map(given.map(({ tool }, place) => [keyOf(tool), place]))
  for (const added of toolsAdded(input)) {
    const key = keyOf(added.tool)
    const place = places.get(key) ?? given.length
    places.set(key, place)
    given[place] = added
  }
  return given
}

function toolsAdded(input: Json | undefined): readonly GivenTool[] {
  if (!Array.isArray(input)) return []
  return (input as readonly Json[]).flatMap((item, i) =>
    isJsonObject(item) && isAdditionalTools(item) ? toolsAt(item.tools, `input[${i}].tools`) : [],
  )
}

function toolsAt(tools: Json | undefined, path: string): GivenTool[] {
  if (!Array.isArray(tools)) return []
  return (tools as readonly Json[]).flatMap((tool, i) =>
    isJsonObject(tool) && vendorToolOf(tool) === undefined ? [{ tool, param: `${path}[${i}]` }] : [],
  )
}

function keyOf({ type, name }: JsonObject): string {
  return JSON.stringify([type, name])
}
