import type { ContentPart } from '../../../../src/core/chat/request.ts'
import { toDataUrl } from '../../../../src/core/dataUrl.ts'
import type { JsonObject } from '../../../../src/core/json.ts'
import { DOCUMENT_FORMATS } from '../../../../src/wire/bedrock-converse/parts.ts'
import { readObject, readText } from '../../../../src/wire/read.ts'
import { invalid } from '../../../../src/wire/requestReader.ts'

export function decodePart(block: JsonObject, path: string): ContentPart {
  const text = block['text']
  if (typeof text === 'string') return { type: 'text', text }
  const image = readObject(block['image'])
  const document = readObject(block['document'])
  const part = image ? decodeImage(image) : document ? decodeDocument(document) : undefined
  return part ?? invalid(path, 'is of a kind that is not supported')
}

function decodeImage(image: JsonObject): ContentPart | undefined {
  const format = readText(image['format'])
  const bytes = readText(readObject(image['source'])?.['bytes'])
  if (format === undefined || bytes === undefined) return undefined
  return { type: 'image_url', image_url: { url: toDataUrl(`image/${format}`, bytes) } }
}

function decodeDocument(document: JsonObject): ContentPart | undefined {
  const format = readText(document['format'])
  const bytes = readText(readObject(document['source'])?.['bytes'])
  const mediaType = Object.entries(DOCUMENT_FORMATS).find(([, known]) => known === format)?.[0]
  if (bytes === undefined || mediaType === undefined) return undefined
  const filename = `${readText(document['name']) ?? 'document'}.${format}`
  return { type: 'file', file: { filename, file_data: toDataUrl(mediaType, bytes) } }
}
