import type { JsonObject } from '../../src/core/json.ts'
import type { WireFormatId } from '../../src/wire/formats.ts'
import { CannotSay } from '../support/callers/cannotSay.ts'
import type { OtherCaller } from './callers.ts'
import type { Conversation } from './conversation.ts'
import type { Outcome } from './conversationWorld.ts'
import { CONVERSATIONS } from './conversations.ts'
import type { Difference, Differences } from './difference.ts'
import { SPOKEN_BY } from './spokenBy.ts'

/** A caller of another format than chat completions, with what is otherwise for it. */
interface Caller {
  /** Of its format. */
  readonly title: string
  readonly caller: OtherCaller
  /** What its format itself has no words for, whichever provider answers. */
  readonly lost: Differences
  /** What happens to it in place of what happens to a caller of chat completions, by format and conversation. */
  readonly otherwise: Readonly<Partial<Record<WireFormatId, Differences>>>
  /** An outcome with the names that fields have in chat completions, as far as they are those of what is declared. */
  inChatNames(declared: readonly Difference[], outcome: Outcome, request: JsonObject): Outcome
}

export interface CallerDifferences extends Caller {
  /** Conversations that it can have, and those that it has no words for. */
  readonly sayable: readonly Conversation[]
  readonly unsayable: readonly Conversation[]
  /** All that may be otherwise for it. */
  declared(format: WireFormatId, name: string): readonly Difference[]
}

const ALL = [...CONVERSATIONS.values()].flat()

export function callerDifferences(caller: Caller): CallerDifferences {
  const sayable = sayableBy(caller.caller)
  return {
    ...caller,
    sayable,
    unsayable: ALL.filter((conversation) => !sayable.includes(conversation)),
    declared(format, name) {
      const differences = caller.otherwise[format]?.[name] ?? SPOKEN_BY[format].differences[name] ?? []
      if (differences.some(({ kind }) => kind === 'refused')) return differences
      const lost = caller.lost[name] ?? []
      return [
        ...differences,
        ...lost.filter((loss) => !differences.some((known) => isChangeWithin(known, loss))),
      ]
    },
  }
}

/** The conversations that a caller has words for. */
export function sayableBy(caller: OtherCaller): readonly Conversation[] {
  return ALL.filter(({ request }) => isSayable(caller, request))
}

function isChangeWithin(one: Difference, other: Difference): boolean {
  return one.kind === 'changed' && other.kind === 'changed' && one.path.startsWith(other.path)
}

function isSayable(caller: OtherCaller, request: JsonObject): boolean {
  try {
    caller.say(request)
    return true
  } catch (error) {
    if (error instanceof CannotSay) return false
    throw error
  }
}
