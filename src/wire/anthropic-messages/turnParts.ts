import type { JsonObject } from '../../core/json.ts'

/** A block of a turn, with its position there. */
export type Placed = readonly [block: JsonObject, position: number]

/** The blocks of a turn by what becomes of them in the canonical language. */
export interface TurnParts {
  /** Each is a message of its own. */
  readonly results: readonly Placed[]
  readonly calls: readonly Placed[]
  readonly thoughts: readonly Placed[]
  /** The parts of the turn's own message. */
  readonly parts: readonly Placed[]
}

/** Results belong to the user's turns, calls and thoughts to the model's: elsewhere they are parts like any other. */
export function turnParts(role: 'user' | 'assistant' | 'system', blocks: readonly JsonObject[]): TurnParts {
  const results: Placed[] = []
  const calls: Placed[] = []
  const thoughts: Placed[] = []
  const parts: Placed[] = []
  for (const [position, block] of blocks.entries()) {
    const placed: Placed = [block, position]
    if (role === 'user' && block.type === 'tool_result') results.push(placed)
    else if (role === 'assistant' && block.type === 'tool_use') calls.push(placed)
    else if (role === 'assistant' && isThinking(block)) thoughts.push(placed)
    else parts.push(placed)
  }
  return { results, calls, thoughts, parts }
}

function isThinking({ type }: JsonObject): boolean {
  return type === 'thinking' || type === 'redacted_thinking'
}
