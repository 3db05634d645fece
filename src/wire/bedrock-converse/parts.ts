import type { ContentPart, ImagePart } from '../../core/chat/request.ts'
import type { JsonObject } from '../../core/json.ts'
import { parseDataUrl } from '../../core/dataUrl.ts'
import { isImagePart, isTextPart } from '../messageParts.ts'
import { readObject, readText } from '../read.ts'
import { UnsupportedField } from '../wire.ts'

const IMAGE_FORMATS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpeg',
  'image/gif': 'gif',
  'image/webp': 'webp',
}

export const DOCUMENT_FORMATS: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'text/html': 'html',
  'text/plain': 'txt',
  'text/markdown': 'md',
}

export function encodePart(part: ContentPart, path: string): JsonObject {
  if (isTextPart(part)) return { text: part.text }
  if (isImagePart(part)) return encodeImage(part, path)
  if (part.type === 'file') return encodeDocument(part, path)
  throw new UnsupportedField(`${path}.type`, `This model does not take content of type ${part.type}.`)
}

/** Converse takes images as bytes only. */
function encodeImage(part: ImagePart, path: string): JsonObject {
  const image = parseDataUrl(part.image_url.url)
  const at = `${path}.image_url.url`
  if (image === undefined) {
    throw new UnsupportedField(at, 'This model takes images as base64 data URLs only.')
  }
  const format = IMAGE_FORMATS[image.mediaType]
  if (format === undefined) throw new UnsupportedField(at, 'This model takes PNG, JPEG, GIF and WebP images.')
  return { image: { format, source: { bytes: image.base64 } } }
}

/** A file of the OpenAI interface: `{type: 'file', file: {file_data: <data URL>, filename}}`. */
function encodeDocument(part: ContentPart, path: string): JsonObject {
  const file = readObject(part.file)
  const data = parseDataUrl(readText(file?.file_data) ?? '')
  const format = data === undefined ? undefined : DOCUMENT_FORMATS[data.mediaType]
  if (data === undefined || format === undefined) {
    throw new UnsupportedField(
      `${path}.file`,
      'This model takes documents as base64 data URLs of known types only.',
    )
  }
  return {
    document: { format, name: documentName(readText(file?.filename)), source: { bytes: data.base64 } },
  }
}

/** Names may hold letters, digits, single spaces, hyphens, parentheses and brackets; the extension is the format. */
function documentName(filename: string | undefined): string {
  const name = (filename ?? '')
    .replace(/\.[^.]*$/, '')
    .replaceAll(/[^a-zA-Z0-9\s()[\]-]/g, '-')
    .replaceAll(/\s+/g, ' ')
    .trim()
  return name === '' ? 'document' : name
}
