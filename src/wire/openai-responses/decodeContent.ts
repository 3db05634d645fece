import { plainDataUrl } from '../../core/dataUrl.ts'
import type { ContentPart } from '../../core/chat/request.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { soleText, textPart } from '../messageParts.ts'
import { compact } from '../read.ts'
import { invalid, isAbsent, optionalString, requireObjects, requireString } from '../requestReader.ts'

/** The content of a message, or the output of a tool: a text, or a list of parts. */
export function decodeContent(value: Json | undefined, param: string): string | readonly ContentPart[] {
  if (typeof value === 'string') return value
  if (isAbsent(value)) invalid(param, 'is required')
  if (!Array.isArray(value)) invalid(param, 'must be a string or an array of content parts')
  const parts = requireObjects(value, param).map((part, i) => decodePart(part, `${param}[${i}]`))
  return parts.length === 0 ? '' : (soleText(parts) ?? parts)
}

/** Decodes one part; kinds without a counterpart are passed on as they are, for a provider to refuse or take. */
export function decodePart(part: JsonObject, param: string): ContentPart {
  const type = requireString(part.type, `${param}.type`)
  switch (type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return textPart(requireString(part.text, `${param}.text`))
    case 'input_image':
      return decodeImage(part, param)
    case 'input_file':
      return decodeFile(part, param)
    default:
      return { ...part, type }
  }
}

/** An image of the operator's account is passed on as it is: it is refused where account names are looked for. */
function decodeImage(part: JsonObject, param: string): ContentPart {
  const url = optionalString(part.image_url, `${param}.image_url`)
  const detail = optionalString(part.detail, `${param}.detail`)
  if (url !== undefined)
    return {
      type: 'image_url',
      image_url: { url: plainDataUrl(url), ...(detail !== undefined && { detail }) },
    }
  if (isAbsent(part.file_id)) invalid(`${param}.image_url`, 'is required')
  return { ...part, type: 'input_image' }
}

function decodeFile(part: JsonObject, param: string): ContentPart {
  const data = optionalString(part.file_data, `${param}.file_data`)
  const url = optionalString(part.file_url, `${param}.file_url`)
  const filename = optionalString(part.filename, `${param}.filename`)
  if (data === undefined && url === undefined) {
    if (isAbsent(part.file_id)) invalid(`${param}.file_data`, 'is required')
    return { ...part, type: 'input_file' }
  }
  const file = compact({ filename, file_data: data && plainDataUrl(data), file_url: url })
  return { type: 'file', file }
}
