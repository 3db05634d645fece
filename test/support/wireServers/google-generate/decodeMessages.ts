import type { ContentPart, Message, ReasoningDetail, ToolCall } from '../../../../src/core/chat/request.ts'
import type { GeneratedImage } from '../../../../src/core/answer/wholeAnswer.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../../src/core/json.ts'
import { soleText } from '../../../../src/wire/messageParts.ts'
import { readObject, readText } from '../../../../src/wire/read.ts'
import { invalid, optionalString, requireObject, requireObjects } from '../../../../src/wire/requestReader.ts'
import { imageUrlOf } from '../../../../src/wire/google-generate/candidate.ts'
import { decodeSignature, decodeToolCall, imageId } from '../../../../src/wire/google-generate/toolCalls.ts'
import { madeCallId } from '../../../../src/wire/toolCallIds.ts'
import { decodePart } from './parts.ts'

/** The instructions at the top as one message. */
export function decodeSystem(instruction: Json | undefined): Message[] {
  const parts = requireParts(readObject(instruction)?.parts, 'systemInstruction.parts')
  const content = plainOrParts(parts.map(decodePart))
  return content === undefined ? [] : [{ role: 'system', content }]
}

export function decodeMessages(contents: readonly Json[]): Message[] {
  /** Calls without ids get one that no other turn's has. */
  let calls = 0
  return contents.flatMap((content, i): Message[] => {
    const { role, parts: given } = requireObject(content, `contents[${i}]`)
    const parts = requireParts(given, `contents[${i}].parts`)
    if (role === 'model') {
      const message = decodeModelTurn(parts, calls)
      calls += message.tool_calls?.length ?? 0
      return [message]
    }
    if (role !== undefined && role !== 'user' && role !== 'function')
      return invalid(`contents[${i}].role`, 'must be user or model')
    return decodeUserTurn(parts, calls)
  })
}

function requireParts(value: Json | undefined, param: string): readonly JsonObject[] {
  const parts = requireObjects(value ?? [], param)
  for (const [i, part] of parts.entries()) optionalString(part.text, `${param}[${i}].text`)
  return parts
}

function decodeModelTurn(parts: readonly JsonObject[], before: number): Message {
  const said: ContentPart[] = []
  const calls: ToolCall[] = []
  const signatures: ReasoningDetail[] = []
  const images: GeneratedImage[] = []
  let thoughts = ''
  for (const part of parts) {
    if (isJsonObject(part.functionCall)) {
      const call = decodeToolCall(part, madeCallId('', before + calls.length))
      calls.push(call)
      signatures.push(...decodeSignature(part, call.id))
    } else if (part.thought === true) thoughts += readText(part.text) ?? ''
    else {
      const url = imageUrlOf(part)
      if (url === undefined) said.push(decodePart(part))
      else {
        signatures.push(...decodeSignature(part, imageId(images.length)))
        images.push({ type: 'image_url', image_url: { url }, index: images.length })
      }
    }
  }
  return {
    role: 'assistant',
    content: plainOrParts(said) ?? (calls.length > 0 ? null : ''),
    ...(thoughts !== '' && { reasoning_content: thoughts }),
    ...(signatures.length > 0 && { reasoning_details: signatures }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(images.length > 0 && { images }),
  }
}

/**
 * Each function response is a message of its own; what else the turn holds follows them.
 * @param calls how many calls were made before: responses without ids answer the last ones in order
 */
function decodeUserTurn(parts: readonly JsonObject[], calls: number): Message[] {
  const responses = parts.flatMap((part) => readObject(part.functionResponse) ?? []) as JsonObject[]
  const results = responses.map((response, i): Message => {
    const id = readText(response.id) ?? `call_${Math.max(0, calls - responses.length + i)}`
    const result = readObject(response.response) ?? {}
    return {
      role: 'tool',
      tool_call_id: id,
      content: resultText(result),
      ...(result.output === undefined && result.error !== undefined && { is_error: true }),
    }
  })
  const content = plainOrParts(parts.filter((part) => !part.functionResponse).map(decodePart))
  return content === undefined ? results : [...results, { role: 'user', content }]
}

/** A result is its `output`, its `error`, or else all of it. */
function resultText(result: JsonObject): string {
  const said = result.output ?? result.error ?? result
  return typeof said === 'string' ? said : JSON.stringify(said)
}

/** One text as a string, several parts as they are, none as nothing. */
function plainOrParts(parts: readonly ContentPart[]): string | readonly ContentPart[] | undefined {
  return parts.length === 0 ? undefined : (soleText(parts) ?? parts)
}
