import { type JsonObject, isJsonObject } from '../json.ts'
import type { ChatRequest, Message } from './request.ts'
import { walkPrompt } from './walkPrompt.ts'

/**
 * The text of a request that every model reads, whatever its provider makes of the rest: what messages say,
 * the arguments of calls, and the tools. Without names, reasoning, addresses and fields that a provider may drop.
 */
export function certainText(request: ChatRequest): string {
  const texts: string[] = []
  for (const message of request.messages) addMessage(message, texts)
  // With a tool named, or none allowed, some providers are sent fewer.
  const isOpen = request.toolChoice === undefined || request.toolChoice === 'auto'
  if (request.tools && isOpen) addTools(request, texts)
  return texts.join('\n')
}

function addMessage({ content, tool_calls: calls }: Message, texts: string[]): void {
  if (typeof content === 'string') texts.push(content)
  else if (Array.isArray(content)) for (const part of content as readonly unknown[]) addPart(part, texts)
  for (const call of (calls ?? []) as readonly JsonObject[]) {
    if (isJsonObject(call.function) && typeof call.function.arguments === 'string')
      texts.push(call.function.arguments)
    else if (isJsonObject(call.custom) && typeof call.custom.input === 'string') texts.push(call.custom.input)
  }
}

function addPart(part: unknown, texts: string[]): void {
  if (isJsonObject(part) && part.type === 'text' && typeof part.text === 'string') texts.push(part.text)
}

function addTools({ tools }: ChatRequest, texts: string[]): void {
  const request = { model: '', messages: [], n: 1, stream: false, includeUsage: false, tools, extra: {} }
  walkPrompt(request as ChatRequest, {
    text: (text) => void texts.push(text),
    message: () => undefined,
    item: () => undefined,
    image: () => undefined,
    audio: () => undefined,
    document: () => undefined,
  })
}
