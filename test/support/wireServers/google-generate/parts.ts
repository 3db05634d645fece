import type { ContentPart } from '../../../../src/core/chat/request.ts'
import { toDataUrl } from '../../../../src/core/dataUrl.ts'
import type { JsonObject } from '../../../../src/core/json.ts'
import { readObject, readText } from '../../../../src/wire/read.ts'

/** Decodes a part that is neither a thought nor a call; kinds without a counterpart are kept as they are. */
export function decodePart(part: JsonObject): ContentPart {
  if (typeof part.text === 'string') return { type: 'text', text: part.text }
  const inline = readObject(part.inlineData)
  const mediaType = readText(inline?.mimeType) ?? ''
  const data = readText(inline?.data) ?? ''
  if (mediaType.startsWith('audio/'))
    return { type: 'input_audio', input_audio: { data, format: mediaType.slice('audio/'.length) } }
  const url = inline ? toDataUrl(mediaType, data) : readText(readObject(part.fileData)?.fileUri)
  if (url === undefined) return { ...part, type: Object.keys(part)[0] ?? 'unknown' }
  return isImage(mediaType, url)
    ? { type: 'image_url', image_url: { url } }
    : { type: 'file', file: { file_data: url } }
}

function isImage(mediaType: string, url: string): boolean {
  return mediaType.startsWith('image/') || (mediaType === '' && /\.(?:png|jpe?g|webp|gif)$/i.test(url))
}
