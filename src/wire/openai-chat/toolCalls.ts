import { isJsonObject, type JsonObject } from '../../core/json.ts'
import type { ToolCallDelta } from '../../core/answer/event.ts'
import { withoutInside } from '../staysInside.ts'
import { invalidAnswer } from '../invalidAnswer.ts'
import { openCalls } from '../openCalls.ts'
import { readObject, readText, withoutNulls } from '../read.ts'
import { argumentsText } from '../toolCalls.ts'

/**
 * Reads the tool call fragments of one choice: assigns ordinals where the provider gives no index or
 * reuses one, ids where it gives none, and strings where it gives arguments as an object.
 */
export interface ToolCallReader {
  /** Throws `UpstreamError`. */
  read(fragments: readonly unknown[]): readonly ToolCallDelta[]
  /** `{}` for each function call that came without arguments: what callers parse must be JSON. */
  completeBareCalls(): readonly ToolCallDelta[]
}

/** @param completionId names the calls that come without an id */
export function toolCallReader(completionId: string): ToolCallReader {
  const calls = openCalls(completionId)
  /** Function calls whose arguments have not begun. */
  const bare = new Set<number>()

  /** @param placed the call that an anonymous fragment belongs to by its place in the list */
  function readFragment(value: JsonObject, placed: number | undefined): ToolCallDelta {
    const source = Number.isInteger(value.index) ? (value.index as number) : undefined
    const id = readText(value.id)
    const inner = isJsonObject(value.function) ? withoutNulls(value.function) : undefined
    const name = readText(inner?.name) ?? readText(readObject(value.custom)?.name)
    const at = placed ?? calls.find({ source, id, name })
    if (at === undefined) return openCall(value, source, id, name)
    const nameMore = inner && calls.nameMore(at, name)
    if (argumentsText(inner?.arguments) !== '') {
      bare.delete(at)
      calls.hasArguments(at)
    }
    if (at === source && isPlainPiece(value)) return value as unknown as ToolCallDelta
    const { id: _id, type: _type, function: _function, index: _index, custom, ...rest } = value
    return {
      ...rest,
      index: at,
      ...(isJsonObject(custom) && { custom: laterCustom(custom) }),
      ...(inner && {
        function: {
          ...(nameMore !== undefined && { name: nameMore }),
          ...(inner.arguments !== undefined && { arguments: argumentsText(inner.arguments) }),
        },
      }),
    }
  }

  function openCall(
    value: JsonObject,
    source: number | undefined,
    givenId: string | undefined,
    name: string | undefined,
  ): ToolCallDelta {
    const piece = { source, id: givenId, name }
    const { ordinal: index, id } = calls.open(piece)
    // Calls of other types (`custom`) are carried as they are.
    if (typeof value.type === 'string' && value.type !== 'function' && value.function === undefined) {
      return { ...value, index, id }
    }
    const inner = readObject(value.function)
    const text = argumentsText(inner?.arguments)
    if (text === '') bare.add(index)
    else calls.hasArguments(index)
    return {
      ...value,
      index,
      id,
      type: 'function',
      function: { ...inner, name: readText(inner?.name) ?? '', arguments: text },
    }
  }

  return {
    read(fragments) {
      const values = fragments.map(cleanFragment)
      calls.beginList()
      // Moonshot numbers no pieces: those of parallel calls stand side by side, in the order of their calls.
      const first = calls.count() - values.length
      const isByPlace = values.length > 1 && first >= 0 && values.every(isAnonymous)
      return values.map((value, place) => readFragment(value, isByPlace ? first + place : undefined))
    },
    completeBareCalls() {
      const complete = [...bare].map((index) => ({ index, function: { arguments: '{}' } }))
      bare.clear()
      return complete
    },
  }
}

const CALL_FIELDS = new Set(['id', 'index', 'type', 'function', 'custom'])
const CALLED_FIELDS = new Set(['name', 'arguments', 'input'])

function cleanFragment(sent: unknown): JsonObject {
  if (!isJsonObject(sent)) throw invalidAnswer('a tool call is not an object')
  let call = withoutNulls(withoutInside(sent, CALL_FIELDS))
  for (const kind of ['function', 'custom']) {
    const called = call[kind]
    if (!isJsonObject(called)) continue
    const clean = withoutInside(called, CALLED_FIELDS)
    if (clean !== called) call = { ...call, [kind]: clean }
  }
  return call
}

/** Whether a fragment has nothing that names its call. */
function isAnonymous({ index, id, function: inner }: JsonObject): boolean {
  return (
    index === undefined &&
    readText(id) === undefined &&
    isJsonObject(inner) &&
    readText(inner.name) === undefined
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
