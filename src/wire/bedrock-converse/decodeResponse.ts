import type { ReasoningDetail, ToolCall } from '../../core/chat/request.ts'
import type { AssistantMessage, WholeAnswer, GeneratedImage } from '../../core/answer/wholeAnswer.ts'
import { toDataUrl } from '../../core/dataUrl.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { ONE_OF_SEVERAL } from '../askedChoices.ts'
import { assistantMessage } from '../assistantMessage.ts'
import { type OwnFinishWords, endOf } from '../finishWords.ts'
import { invalidAnswer } from '../invalidAnswer.ts'
import { readObject, readObjects, readText, writeJson } from '../read.ts'
import { readServiceTier } from '../serviceTier.ts'
import { madeCallId } from '../toolCallIds.ts'
import { decodeCitation } from './citations.ts'
import { reasoningDetails, reasoningText } from './reasoning.ts'
import { decodeUsage } from './usage.ts'

/** Reads a `ConverseResponse`: always one choice. */
export function decodeResponse(
  body: Json,
  choices = 1,
  own?: OwnFinishWords,
  completionId = '',
): WholeAnswer {
  if (!isJsonObject(body)) throw invalidAnswer('no JSON object', body)
  if (choices > 1) throw invalidAnswer(ONE_OF_SEVERAL, body)
  const content = readObject(readObject(body.output)?.message)?.content
  if (!Array.isArray(content)) throw invalidAnswer('no message in it', body)
  const message = decodeMessage(readObjects(content), completionId)
  const answered =
    Boolean(message.content) || message.tool_calls !== undefined || message.images !== undefined
  const made = { content: answered, calls: message.tool_calls !== undefined }
  const end = endOf(body.stopReason, made, own)
  const usage = decodeUsage(body.usage)
  return {
    choices: [{ index: 0, message, ...end }],
    ...(usage && { usage }),
    extra: serviceTierOf(body),
  }
}

/** The tier that served the call, where OpenAI reports it. */
export function serviceTierOf(body: JsonObject): JsonObject {
  const tier = readServiceTier(readObject(body.serviceTier)?.type)
  return tier === undefined ? {} : { service_tier: tier }
}

function decodeMessage(blocks: readonly JsonObject[], completionId: string): AssistantMessage {
  let text = ''
  let reasoning = ''
  const details: ReasoningDetail[] = []
  const toolCalls: ToolCall[] = []
  const annotations: JsonObject[] = []
  const images: GeneratedImage[] = []
  for (const block of blocks) {
    const reasoningContent = readObject(block.reasoningContent)
    const toolUse = readObject(block.toolUse)
    const cited = readObject(block.citationsContent)
    const image = readObject(block.image)
    if (reasoningContent) {
      reasoning += reasoningText(reasoningContent)
      details.push(...reasoningDetails(reasoningContent))
    } else if (toolUse) {
      if (!isServerTool(toolUse))
        toolCalls.push(decodeToolUse(toolUse, madeCallId(completionId, toolCalls.length)))
    } else if (cited) {
      const start = text.length
      for (const part of readObjects(cited.content)) text += readText(part.text) ?? ''
      for (const citation of readObjects(cited.citations)) {
        annotations.push(...decodeCitation(citation, start, text.length))
      }
    } else if (image) {
      const bytes = readText(readObject(image.source)?.bytes)
      const format = readText(image.format)
      if (bytes === undefined || format === undefined) throw invalidAnswer('an image without bytes', null)
      images.push(generatedImage(format, bytes, images.length))
    } else {
      text += readText(block.text) ?? ''
    }
  }
  return assistantMessage({ text, reasoning, details, toolCalls, annotations, images })
}

/** @param format `png`, `jpeg`, … */
export function generatedImage(format: string, bytes: string, index: number): GeneratedImage {
  return { type: 'image_url', image_url: { url: toDataUrl(`image/${format}`, bytes) }, index }
}

/** A tool that the provider runs itself: no call for the caller to answer. */
export function isServerTool(toolUse: JsonObject): boolean {
  return toolUse.type === 'server_tool_use'
}

function decodeToolUse(toolUse: JsonObject, ownId: string): ToolCall {
  const text = writeJson(toolUse.input ?? {})
  if (text === undefined) throw invalidAnswer('arguments nested too deep', null)
  return {
    id: readText(toolUse.toolUseId) ?? ownId,
    type: 'function',
    function: { name: readText(toolUse.name) ?? '', arguments: text },
  }
}
