import { isJsonObject, type JsonObject } from '../../core/json.ts'
import type { ToolCallDelta } from '../../core/chat/event.ts'
import { withoutNulls, withoutPrivateFields } from './extraFields.ts'
import { InvalidAnswer } from './invalidAnswer.ts'

/** Calls in one message; a stream that opens more is no answer. */
const TOOL_CALLS_MAX = 1024

interface OpenCall {
  readonly id: string
  /** The provider's own index, which need not be the ordinal. */
  readonly source: number | undefined
  named: boolean
  /** A function call whose arguments have not begun. */
  bare: boolean
}

/**
 * Reads the tool call fragments of one choice: assigns ordinals where the provider gives no index or
 * reuses one, ids where it gives none, and strings where it gives arguments as an object.
 */
export interface ToolCallReader {
  /** Throws `InvalidAnswer`. */
  read(fragments: readonly unknown[]): readonly ToolCallDelta[]
  /** `{}` for each function call that came without arguments: what callers parse must be JSON. */
  completeBareCalls(): readonly ToolCallDelta[]
}

/** @param idPrefix makes ids for calls without one; unique among the answers of a conversation */
export function toolCallReader(idPrefix: string): ToolCallReader {
  const calls: OpenCall[] = []

  function findCall(source: number | undefined, id: string | undefined, named: boolean): number {
    if (source !== undefined) {
      const at = calls.findLastIndex((call) => call.source === source)
      const call = calls[at]
      const isOther = call !== undefined && named && id !== undefined && id !== call.id
      return isOther ? -1 : at
    }
    if (id !== undefined) return calls.findLastIndex((call) => call.id === id)
    return named ? -1 : calls.length - 1
  }

  /** @param placed the call that an anonymous fragment belongs to by its place in the list */
  function readFragment(value: JsonObject, placed: number | undefined): ToolCallDelta {
    const source = Number.isInteger(value.index) ? (value.index as number) : undefined
    const id = textOf(value.id)
    const inner = isJsonObject(value.function) ? withoutNulls(value.function) : undefined
    const name = textOf(inner?.name)
    const at = placed ?? findCall(source, id, name !== undefined || inner === undefined)
    const call = calls[at]
    if (!call) return openCall(value, source, id, name)
    if (argumentsText(inner?.arguments) !== '') call.bare = false
    if (at === source && isPlainPiece(value)) return value as unknown as ToolCallDelta
    const nameNow = call.named ? undefined : name
    if (nameNow !== undefined) call.named = true
    const { id: _id, type: _type, function: _function, index: _index, custom, ...rest } = value
    return {
      ...rest,
      index: at,
      ...(isJsonObject(custom) && { custom: laterCustom(custom) }),
      ...(inner && {
        function: {
          ...(nameNow !== undefined && { name: nameNow }),
          ...(inner.arguments !== undefined && { arguments: argumentsText(inner.arguments) }),
        },
      }),
    }
  }

  function openCall(
    value: Readonly<Record<string, unknown>>,
    source: number | undefined,
    givenId: string | undefined,
    name: string | undefined,
  ): ToolCallDelta {
    const index = calls.length
    if (index >= TOOL_CALLS_MAX) throw new InvalidAnswer(`more than ${TOOL_CALLS_MAX} tool calls`)
    const id = givenId ?? `call_${idPrefix}${index}`
    const call: OpenCall = { id, source, named: name !== undefined, bare: false }
    calls.push(call)
    // Calls of other types (`custom`) are carried as they are.
    if (typeof value.type === 'string' && value.type !== 'function' && value.function === undefined) {
      return { ...value, index, id }
    }
    const inner = isJsonObject(value.function) ? value.function : undefined
    const text = argumentsText(inner?.arguments)
    call.bare = text === ''
    return {
      ...value,
      index,
      id,
      type: 'function',
      function: { ...inner, name: name ?? '', arguments: text },
    }
  }

  return {
    read(fragments) {
      const values = fragments.map(readObject)
      // Moonshot numbers no pieces: those of parallel calls stand side by side, in the order of their calls.
      const first = calls.length - values.length
      const isByPlace = values.length > 1 && first >= 0 && values.every(isAnonymous)
      return values.map((value, place) => readFragment(value, isByPlace ? first + place : undefined))
    },
    completeBareCalls() {
      return calls.flatMap((call, index) => {
        if (!call.bare) return []
        call.bare = false
        return [{ index, function: { arguments: '{}' } }]
      })
    },
  }
}

function readObject(sent: unknown): JsonObject {
  if (!isJsonObject(sent)) throw new InvalidAnswer('a tool call is not an object')
  return withoutNulls(withoutPrivateFields(sent))
}

/** Whether a fragment has nothing that names its call. */
function isAnonymous({ index, id, function: inner }: JsonObject): boolean {
  return (
    index === undefined && textOf(id) === undefined && isJsonObject(inner) && textOf(inner.name) === undefined
  )
}

/** The usual later fragment: more of the arguments, and nothing that says anew what the first one said. */
function isPlainPiece(value: JsonObject): boolean {
  const { function: inner } = value
  if (value.id !== undefined || value.type !== undefined || !isJsonObject(inner)) return false
  return inner.name === undefined && typeof inner.arguments === 'string'
}

/** Its name came with the first fragment. */
function laterCustom(custom: JsonObject): JsonObject {
  const { name: _name, ...rest } = withoutNulls(custom)
  return rest
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Arguments as text: some servers give an object. */
export function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}
