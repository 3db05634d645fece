import type { ContentPart } from '../../core/chat/request.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { parseDataUrl, plainDataUrl, toDataUrl } from '../../core/dataUrl.ts'
import { isBlank, partsWithWords, textOnly, textPart } from '../messageParts.ts'
import { compact, readObject, readObjects, readText } from '../read.ts'
import { UnsupportedField } from '../wire.ts'

const IMAGE_TYPES = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp'])
const PDF = 'application/pdf'

/** Encodes content; text without a word is left out, because the API refuses it. */
export function encodeContent(content: string | readonly ContentPart[], param: string): JsonObject[] {
  if (typeof content === 'string') return isBlank(textPart(content)) ? [] : [{ type: 'text', text: content }]
  return partsWithWords(content).flatMap(([part, i]): JsonObject[] => {
    const block = encodePart(part, `${param}[${i}]`)
    return block ? [block] : []
  })
}

/** The text of content that may hold nothing else. */
export function encodeTextContent(content: string | readonly ContentPart[], param: string): JsonObject[] {
  const blocks = encodeContent(content, param)
  if (blocks.some((block) => block.type !== 'text')) throw textOnly(content, param)
  return blocks
}

function encodePart(part: ContentPart, param: string): JsonObject | undefined {
  // A prompt cache breakpoint; what it costs is in the reported usage.
  const cache = part.cache_control as Json | undefined
  switch (part.type) {
    case 'text':
    case 'refusal': {
      const text = readText(part.type === 'text' ? part.text : part.refusal)
      return text === undefined ? undefined : compact({ type: 'text', text, cache_control: cache })
    }
    case 'image_url': {
      const source = imageSource(readText(readObject(part.image_url)?.url) ?? '', `${param}.image_url.url`)
      return compact({ type: 'image', source, cache_control: cache })
    }
    case 'file':
      return compact({ ...encodeFile(readObject(part.file) ?? {}, `${param}.file`), cache_control: cache })
    default:
      throw new UnsupportedField(
        `${param}.type`,
        `This model does not take content of type \`${part.type}\`.`,
      )
  }
}

function imageSource(url: string, param: string): JsonObject {
  if (/^https?:/i.test(url)) return { type: 'url', url }
  const inline = parseDataUrl(url)
  if (!inline) throw new UnsupportedField(param, 'An image must be an http(s) URL or a base64 data URL.')
  if (!IMAGE_TYPES.has(inline.mediaType))
    throw new UnsupportedField(param, 'This model takes JPEG, PNG, GIF and WebP images.')
  return { type: 'base64', media_type: inline.mediaType, data: inline.base64 }
}

function encodeFile(file: JsonObject, param: string): JsonObject {
  const data = readText(file.file_data) ?? readText(file.file_url)
  if (data === undefined) throw new UnsupportedField(param, 'A file must be given as `file_data`.')
  return compact({
    type: 'document',
    source: fileSource(data, `${param}.file_data`),
    title: readText(file.filename),
  })
}

function fileSource(data: string, param: string): JsonObject {
  if (/^https?:/i.test(data)) return { type: 'url', url: data }
  const inline = parseDataUrl(data)
  if (inline?.mediaType !== PDF)
    throw new UnsupportedField(param, 'This model takes PDF files as base64 data URLs.')
  return { type: 'base64', media_type: PDF, data: inline.base64 }
}

/** Decodes one block of a turn; kinds without a counterpart are carried as they are. */
export function decodePart(block: JsonObject): ContentPart {
  const cache = cacheControl(block)
  const source = readObject(block.source) ?? {}
  switch (block.type) {
    case 'text':
      return { type: 'text', text: readText(block.text) ?? '', ...cache }
    case 'image': {
      const url = sourceUrl(source)
      return url === undefined ? carried(block) : { type: 'image_url', image_url: { url }, ...cache }
    }
    case 'document': {
      const url = sourceUrl(source)
      if (url === undefined) return writtenDocument(block, source) ?? carried(block)
      const title = readText(block.title)
      return {
        type: 'file',
        file: { file_data: url, ...(title !== undefined && { filename: title }) },
        ...cache,
      }
    }
    case 'search_result':
      return asText(block, [block.title, block.source], block.content) ?? carried(block)
    // Every tool is sent from the beginning, so that its name is all that there is to find.
    case 'tool_reference':
      return { type: 'text', text: readText(block.tool_name) ?? '', ...cache }
    default:
      return carried(block)
  }
}

/** A document that is text already says the same as text, under its title. */
function writtenDocument(block: JsonObject, { type, data, content }: JsonObject): ContentPart | undefined {
  if (type === 'text') return asText(block, [block.title], data)
  return type === 'content' ? asText(block, [block.title], content) : undefined
}

/** The text of a block with some lines before it; undefined where it holds more than text. */
function asText(
  block: JsonObject,
  head: readonly (Json | undefined)[],
  content: Json | undefined,
): ContentPart | undefined {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : readObjects(content)
  const texts = parts.map(({ type, text }) => (type === 'text' ? readText(text) : undefined))
  if (texts.length === 0 || texts.includes(undefined)) return undefined
  const lines = head.map(readText).filter((line) => line !== undefined && line !== '')
  const before = lines.length > 0 ? `${lines.join('\n')}\n\n` : ''
  return { type: 'text', text: before + texts.join('\n'), ...cacheControl(block) }
}

/** The prompt cache breakpoint of a block, if it is one. */
export function cacheControl(block: JsonObject): { cache_control?: JsonObject } {
  const control = readObject(block.cache_control)
  return control ? { cache_control: control } : {}
}

/** An image or a document as an address or a data URL; undefined where it is neither. */
export function sourceUrl(source: JsonObject): string | undefined {
  if (source.type === 'url') return readText(source.url)
  const { media_type: mediaType, data } = source
  if (source.type !== 'base64' || typeof mediaType !== 'string' || typeof data !== 'string') return undefined
  return plainDataUrl(toDataUrl(mediaType, data))
}

function carried(block: JsonObject): ContentPart {
  return { ...block, type: readText(block.type) ?? '' }
}
