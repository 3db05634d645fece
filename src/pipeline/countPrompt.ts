import type { ChatRequest } from '../core/chat/request.ts'
import { walkPrompt } from '../core/chat/walkPrompt.ts'
import { mediaTokens } from '../core/mediaTokens.ts'
import type { Model } from '../core/model.ts'
import type { TokenCounter } from './deps.ts'

/**
 * Our own count of a prompt whose provider reported none. The caller is charged by it, so a document
 * counts by its length here, and not as all that it might be.
 */
export async function countPrompt(
  request: ChatRequest,
  { imageTokens, contextLength }: Pick<Model, 'imageTokens' | 'contextLength'>,
  tokens: Pick<TokenCounter, 'count'>,
): Promise<number> {
  const texts: string[] = []
  let media = 0
  walkPrompt(request, {
    message(role) {
      texts.push(role)
    },
    // The line feeds between the texts stand for quotes and commas.
    item() {},
    text(text) {
      texts.push(text)
    },
    image() {
      media += imageTokens
    },
    audio(characters) {
      media += mediaTokens(characters)
    },
    document(characters) {
      media += mediaTokens(characters)
    },
  })
  return Math.min((await tokens.count(texts.join('\n'))) + media, contextLength)
}
