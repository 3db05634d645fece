import type { ChatRequest, Message } from '../core/chat/request.ts'

/** Everything of a request that a model reads as text, for counting its tokens. */
export function promptText(request: ChatRequest): string {
  const pieces: string[] = []
  for (const message of request.messages) addMessage(message, pieces)
  for (const tool of request.tools ?? []) pieces.push(JSON.stringify(tool))
  return pieces.join('\n')
}

function addMessage(message: Message, pieces: string[]): void {
  pieces.push(message.role)
  const { content } = message
  if (typeof content === 'string') {
    pieces.push(content)
  } else {
    for (const part of content ?? []) {
      if (part.type === 'text' && typeof part.text === 'string') pieces.push(part.text)
    }
  }
  for (const call of message.tool_calls ?? []) pieces.push(JSON.stringify(call))
}
