import type { ContentPart } from '../../core/chat/request.ts'
import type { JsonObject } from '../../core/json.ts'
import { parseDataUrl } from '../../core/dataUrl.ts'
import { compact, readObject, readText } from '../read.ts'
import { textOnly } from '../messageParts.ts'
import { UnsupportedField } from '../wire.ts'

/** Addresses the provider reads itself: its Files API, Cloud Storage, YouTube. */
const READABLE_URL =
  /^(?:gs:\/\/|https:\/\/generativelanguage\.googleapis\.com\/|https:\/\/(?:www\.)?youtube\.com\/watch\?|https:\/\/youtu\.be\/)/i

const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['webp', 'image/webp'],
  ['gif', 'image/gif'],
  ['pdf', 'application/pdf'],
  ['mp4', 'video/mp4'],
  ['mp3', 'audio/mp3'],
  ['wav', 'audio/wav'],
  ['txt', 'text/plain'],
])

/** Encodes content; empty text is left out. */
export function encodeContent(content: string | readonly ContentPart[], param: string): JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }]
  return content.flatMap((part, i): JsonObject[] => {
    const encoded = encodePart(part, `${param}[${i}]`)
    return encoded ? [encoded] : []
  })
}

/** The text of content that may hold nothing else. */
export function encodeTextContent(content: string | readonly ContentPart[], param: string): JsonObject[] {
  const parts = encodeContent(content, param)
  if (parts.some((part) => part.text === undefined)) throw textOnly(content, param)
  return parts
}

function encodePart(part: ContentPart, param: string): JsonObject | undefined {
  switch (part.type) {
    case 'text':
    case 'refusal': {
      const text = readText(part.type === 'text' ? part.text : part.refusal)
      return text === undefined ? undefined : { text }
    }
    case 'image_url':
      return encodeMedia(readText(readObject(part.image_url)?.url), `${param}.image_url.url`)
    case 'file':
      return encodeMedia(readText(readObject(part.file)?.file_data), `${param}.file`)
    case 'input_audio': {
      const audio = readObject(part.input_audio)
      const data = readText(audio?.data)
      if (data === undefined) throw new UnsupportedField(`${param}.input_audio`, 'Audio must hold `data`.')
      return { inlineData: { mimeType: `audio/${readText(audio?.format) ?? 'wav'}`, data } }
    }
    default:
      throw new UnsupportedField(
        `${param}.type`,
        `This model does not take content of type \`${part.type}\`.`,
      )
  }
}

export function encodeMedia(url: string | undefined, param: string): JsonObject {
  const inline = url === undefined ? undefined : parseDataUrl(url)
  if (inline) return { inlineData: { mimeType: inline.mediaType, data: inline.base64 } }
  if (url === undefined || !READABLE_URL.test(url))
    throw new UnsupportedField(param, 'This model takes media as base64 data URLs only.')
  const extension = /\.([a-z0-9]+)$/i.exec(url)?.[1]?.toLowerCase() ?? ''
  return { fileData: compact({ fileUri: url, mimeType: MEDIA_TYPES.get(extension) }) }
}
