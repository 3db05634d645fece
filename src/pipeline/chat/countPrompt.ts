import type { ChatRequest } from '../../core/chat/request.ts'
import { walkPrompt } from '../../core/chat/walkPrompt.ts'
import { mediaTokens } from '../../core/mediaTokens.ts'
import type { Model } from '../../core/model.ts'
import type { TokenCounter } from '../deps.ts'
import type { SentPrompt } from '../plan/plan.ts'
import { imageTokensOf } from './imageTokens.ts'

/**
 * Our own count of a prompt whose provider reported none. The caller is charged by it, so a document
 * counts by its length here, and not as all that it might be. Text counts for at most the bytes that were sent.
 *
 * @param sent of the body: how long it was, and what its target could not take of the request
 */
export async function countPrompt(
  request: ChatRequest,
  { imageTokens, contextLength }: Pick<Model, 'imageTokens' | 'contextLength'>,
  tokens: Pick<TokenCounter, 'count'>,
  { sentBytes, dropped }: Omit<SentPrompt, 'sentTo'>,
): Promise<number> {
  const takesOwnImages = !dropped.includes('messages.images')
  const texts: string[] = []
  let media = 0
  // What was left out costs nothing.
  const unknownFields = request.unknownFields?.filter((name) => !dropped.includes(name)) ?? []
  walkPrompt(
    { ...request, unknownFields },
    {
      message(role) {
        texts.push(role)
      },
      // The line feeds between the texts stand for quotes and commas.
      item() {},
      text(text) {
        texts.push(text)
      },
      image(base64, own = false) {
        if (!own || takesOwnImages) media += imageTokensOf(base64, imageTokens)
      },
      audio(characters) {
        media += mediaTokens(characters)
      },
      document(characters) {
        media += mediaTokens(characters)
      },
    },
  )
  // No text has more tokens than bytes: what was not sent counts for nothing beyond them.
  const text = Math.min(await tokens.count(texts.join('\n')), sentBytes)
  return Math.min(text + media, contextLength)
}
