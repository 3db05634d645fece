import type { ToolCall } from '../../core/chat/request.ts'
import type { JsonObject } from '../../core/json.ts'
import { readObject, readText } from '../read.ts'
import { argumentsText } from '../toolCalls.ts'

/** @param ownId for a call without an id */
export function decodeToolCall(call: JsonObject, ownId: string): ToolCall {
  const { name, text } = readFunction(call)
  return {
    id: readToolCallId(call) ?? ownId,
    type: 'function',
    function: { name, arguments: text },
  }
}

/** A call's name and arguments; these come as a string or as an object. */
export function readFunction(call: JsonObject): { name: string; text: string } {
  const called = readObject(call.function) ?? {}
  return { name: readText(called.name) ?? '', text: argumentsText(called.arguments) }
}

/** Mistral writes the word `null` where it has no id. */
export function readToolCallId(call: JsonObject): string | undefined {
  const id = readText(call.id)
  return id === 'null' ? undefined : id
}
