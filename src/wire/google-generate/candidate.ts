import type { ReasoningDetail, ToolCall } from '../../core/chat/request.ts'
import type { JsonObject } from '../../core/json.ts'
import { readObject, readObjects } from '../read.ts'
import { decodeSignature, decodeToolCall } from './toolCalls.ts'

/** What the parts of a candidate say: the whole of an answer, or one frame's share of it. */
export interface CandidateParts {
  readonly text: string
  readonly thoughts: string
  readonly calls: readonly ToolCall[]
  readonly signatures: readonly ReasoningDetail[]
}

/**
 * Kinds of parts that we do not ask for (code, images) are passed over.
 * @param ordinal how many calls the candidate made before
 */
export function decodeParts(
  candidate: JsonObject,
  ordinal: number,
  responseId: string | undefined,
): CandidateParts {
  let text = ''
  let thoughts = ''
  const calls: ToolCall[] = []
  const signatures: ReasoningDetail[] = []
  for (const part of readObjects(readObject(candidate.content)?.parts)) {
    if (readObject(part.functionCall)) {
      const call = decodeToolCall(part, ordinal + calls.length, responseId)
      calls.push(call)
      signatures.push(...decodeSignature(part, call.id))
    } else if (typeof part.text === 'string') {
      if (part.thought === true) thoughts += part.text
      else text += part.text
    }
  }
  return { text, thoughts, calls, signatures }
}
