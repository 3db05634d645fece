import type { Json } from '../../../core/json.ts'
import { readObject, readObjects } from '../../read.ts'
import { vendorToolOf } from '../vendorTools.ts'

/** A body that is changed in some fields. */
export type Draft = Record<string, Json | undefined>

/**
 * Leaves out the tools that the vendor would run, and their names in `tool_choice`. What hangs on tools goes with the last of them.
 *
 * @param addsTools the input adds some that pass
 * @returns the names of those that are left out
 */
export function passTools(body: Draft, addsTools: boolean): string[] {
  const names: string[] = []
  const own = readObjects(body.tools).filter((tool) => {
    const kind = vendorToolOf(tool)
    if (kind !== undefined) names.push(`tools[${kind}]`)
    return kind === undefined
  })
  if (names.length > 0) body.tools = own.length > 0 ? own : undefined
  if (own.length === 0 && !addsTools) {
    body.tool_choice = undefined
    body.parallel_tool_calls = undefined
  } else passToolChoice(body)
  return names
}

function passToolChoice(body: Draft): void {
  const choice = readObject(body.tool_choice)
  if (choice?.type !== 'allowed_tools') return
  const allowed = readObjects(choice.tools)
  const tools = allowed.filter((tool) => vendorToolOf(tool) === undefined)
  if (tools.length < allowed.length) body.tool_choice = tools.length > 0 ? { ...choice, tools } : 'none'
}
