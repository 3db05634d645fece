import type { ContentPart, Message } from '../../core/chat/request.ts'
import { parseDataUrl } from '../../core/dataUrl.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { isImagePart, placedParts } from '../messageParts.ts'
import { compact, readObject, readText } from '../read.ts'
import type { RequestFields } from '../requestFields.ts'
import { UnsupportedField } from '../wire.ts'

const PDF = 'application/pdf'

/** The content of a message or of a tool's result: a string stays one. Throws `UnsupportedField`. */
export function encodeContent(message: Message, param: string, fields: RequestFields): string | JsonObject[] {
  if (typeof message.content === 'string') return message.content
  const parts = placedParts(message, param).map(([part, place]) => encodePart(part, place, fields))
  return parts.length > 0 ? parts : ''
}

function encodePart(part: ContentPart, param: string, fields: RequestFields): JsonObject {
  const breakpoint = part.prompt_cache_breakpoint as Json | undefined
  return compact({ ...plainPart(part, param, fields), prompt_cache_breakpoint: breakpoint })
}

function plainPart(part: ContentPart, param: string, fields: RequestFields): JsonObject {
  if (isImagePart(part)) {
    const { url, detail = 'auto' } = part.image_url
    return { type: 'input_image', image_url: url, detail }
  }
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: readText(part.text) ?? '' }
    case 'refusal':
      return { type: 'input_text', text: readText(part.refusal) ?? '' }
    case 'file':
      return encodeFile(readObject(part.file) ?? {}, `${param}.file`, fields)
    default:
      throw new UnsupportedField(
        `${param}.type`,
        `This model does not take content of type \`${part.type}\`.`,
      )
  }
}

/**
 * A file by its content must have a name (laravel/ai#324), one by its address may not: "mutually_exclusive_parameters"
 * (0xPlaygrounds/rig#2166).
 */
function encodeFile(file: JsonObject, param: string, fields: RequestFields): JsonObject {
  const data = readText(file.file_data)
  const isAddress = data !== undefined && /^https?:/i.test(data)
  if (data !== undefined && !isAddress) {
    return { type: 'input_file', filename: readText(file.filename) ?? nameFor(data), file_data: data }
  }
  fields.drop({ 'messages.content.file.filename': readText(file.filename) })
  const url = data ?? readText(file.file_url)
  if (url !== undefined) return { type: 'input_file', file_url: url }
  const id = readText(file.file_id)
  if (id !== undefined) return { type: 'input_file', file_id: id }
  throw new UnsupportedField(param, 'A file must be given as `file_data`.')
}

function nameFor(data: string): string {
  return parseDataUrl(data)?.mediaType === PDF ? 'document.pdf' : 'document'
}
