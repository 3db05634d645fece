import { parseDataUrl } from '../dataUrl.ts'
import { isJsonObject, type JsonObject } from '../json.ts'
import type { RequestSource } from '../traits.ts'
import type { ChatRequest, Message } from './request.ts'

/** Receives everything that a request carries to a provider, piece by piece. */
export interface PromptVisitor {
  /** A message begins. */
  message(role: string): void
  /** A value inside JSON begins; what it says follows as texts. */
  item(): void
  text(text: string): void
  /**
   * @param base64 its content, where it is in the request
   * @param own made by the model in an earlier turn: not every format takes it back
   */
  image(base64?: string, own?: boolean): void
  /** @param characters of base64 */
  audio(characters: number): void
  /**
   * A document, a video, or a reference to something that is not here: its tokens are unknown.
   * @param characters of base64; 0 for a reference
   */
  document(characters: number): void
}

/** Fields of a request that no model reads; `messages` are visited apart. */
const NEVER_READ: ReadonlySet<string> = new Set<keyof ChatRequest>([
  'model',
  'messages',
  'n',
  'stream',
  'includeUsage',
  'reasons',
  'routing',
  'unknownFields',
  'source',
  'makers',
  'leftOut',
  'nativeOnly',
])
/** Fields of a message whose names are no part of the prompt. */
const MESSAGE_FIELDS: ReadonlySet<string> = new Set([
  'name',
  'tool_calls',
  'tool_call_id',
  'refusal',
  'reasoning_content',
  'reasoning_details',
])
/** What names media, as a part's type or a field: `video_url`, `input_file`, `inlineData`, `images`. */
const MEDIA_NAME = /audio|image|video|document|file|attachment|pdf|media|inline_?data/i
/** Fields that hold base64 where they stand inside a document. */
const DATA_NAMES: ReadonlySet<string> = new Set(['data', 'file_data', 'bytes'])
const ADDRESS = /^[a-z][a-z0-9+.-]*:/i
const WEB_ADDRESS = /^https?:/i
/** What Gemini reads by its address: videos, and uploads of any kind. */
const READ_BY_GEMINI =
  /^https:\/\/(?:generativelanguage\.googleapis\.com|(?:www\.)?youtube\.com|youtu\.be)\//i
/** Compressed audio of other formats may last for hours in a few bytes (silence in FLAC). */
const STEADY_AUDIO: ReadonlySet<unknown> = new Set(['wav', 'mp3', undefined])

/**
 * Visits everything that a request carries to a provider: all its fields but those of `NEVER_READ`, so
 * that one added later is visited too. Whatever is not the base64 of recognised media is text. Never
 * throws on JSON of the depth that requests may have.
 */
export function walkPrompt(request: ChatRequest, visitor: PromptVisitor): void {
  for (const message of request.messages) walkMessage(message, visitor)
  const fields = request as unknown as Readonly<Record<string, unknown>>
  for (const name in fields) {
    const value = fields[name]
    // Numbers and flags of the request itself steer the sampling.
    if (typeof value !== 'string' && typeof value !== 'object') continue
    if (!NEVER_READ.has(name) && !(name === 'tools' && request.source)) walkJson(value, visitor)
  }
  if (request.source) walkSource(request, request.source, visitor)
}

/** Of what the caller wrote, which may be passed on as it is: tools with all their fields, and fields that have no other place. */
function walkSource(
  { unknownFields = [] }: ChatRequest,
  { body }: RequestSource,
  visitor: PromptVisitor,
): void {
  for (const name of ['tools', ...unknownFields]) {
    const value = body[name]
    if (typeof value === 'string' || typeof value === 'object') walkJson(value, visitor)
  }
}

function walkMessage(message: Message, visitor: PromptVisitor): void {
  visitor.message(message.role)
  for (const name in message) {
    if (name === 'role') continue
    const value = message[name]
    if (value === null || value === undefined) continue
    if (name === 'content') walkContent(value, visitor)
    else if (name === 'images' && message.role === 'assistant') walkOwnImages(value, visitor)
    else if (typeof value === 'string' && MESSAGE_FIELDS.has(name)) visitor.text(value)
    else if (MESSAGE_FIELDS.has(name)) walkJson(value, visitor)
    else walkMember(name, value, visitor)
  }
}

function walkContent(content: unknown, visitor: PromptVisitor): void {
  if (typeof content === 'string') visitor.text(content)
  else if (Array.isArray(content)) for (const part of content) walkNested(part, visitor)
  else walkNested(content, visitor)
}

/** The images that the model made in an earlier turn; what is none is taken for what its name says. */
function walkOwnImages(images: unknown, visitor: PromptVisitor): void {
  if (!Array.isArray(images)) {
    walkMember('images', images, visitor)
    return
  }
  const ofOwn: PromptVisitor = { ...visitor, image: (base64) => visitor.image(base64, true) }
  for (const image of images as readonly unknown[]) {
    if (isJsonObject(image) && image.image_url !== undefined) walkPart(image, 'image_url', ofOwn)
    else walkMember('images', image, visitor)
  }
}

/** A value in which parts may stand: a part, or what holds some (the `content` of a `tool_result`). */
function walkNested(value: unknown, visitor: PromptVisitor): void {
  if (Array.isArray(value)) {
    visitor.item()
    for (const item of value) walkNested(item, visitor)
  } else if (!isJsonObject(value)) {
    walkJson(value, visitor)
  } else if (typeof value.type === 'string') {
    walkPart(value, value.type, visitor)
  } else {
    visitor.item()
    for (const name in value) walkMember(name, value[name], visitor)
  }
}

function walkPart(part: JsonObject, type: string, visitor: PromptVisitor): void {
  const isRecognised = type === 'text' || type === 'image_url' || type === 'input_audio'
  if (!isRecognised) visitor.text(type)
  if (!isRecognised && MEDIA_NAME.test(type)) {
    visitor.document(walkDocument('', part, visitor))
    return
  }
  for (const name in part) {
    const value = part[name]
    if (name === 'type') continue
    if (!isRecognised || name !== type) walkMember(name, value, visitor)
    else if (type === 'text') walkContent(value, visitor)
    else if (type === 'image_url') walkImage(value, visitor)
    else walkAudio(value, visitor)
  }
}

/** A field of no known meaning. Some providers go by its name: the `images` of a message, the `audio` of an answer. */
function walkMember(name: string, value: unknown, visitor: PromptVisitor): void {
  visitor.text(name)
  // Clients write `image_url: null` beside a text and mean nothing by it.
  if (value !== null && MEDIA_NAME.test(name)) visitor.document(walkDocument('', value, visitor))
  else walkNested(value, visitor)
}

function walkImage(image: unknown, visitor: PromptVisitor): void {
  if (!isJsonObject(image)) {
    if (typeof image === 'string') walkImageUrl(image, visitor)
    else walkJson(image, visitor)
    return
  }
  for (const name in image) {
    const value = image[name]
    if (name === 'url' && typeof value === 'string') walkImageUrl(value, visitor)
    else walkMember(name, value, visitor)
  }
}

function walkImageUrl(url: string, visitor: PromptVisitor): void {
  const inline = parseDataUrl(url)
  if (inline) {
    visitor.text(url.slice(0, url.length - inline.base64.length))
    // An SVG is text, and some providers read it as such.
    if (/^image\/(?!svg)/.test(inline.mediaType)) visitor.image(inline.base64)
    else visitor.document(inline.base64.length)
    return
  }
  visitor.text(url)
  const isImage = /^data:/i.test(url) || (WEB_ADDRESS.test(url) && !READ_BY_GEMINI.test(url))
  if (isImage) visitor.image()
  else visitor.document(0)
}

function walkAudio(audio: unknown, visitor: PromptVisitor): void {
  if (!isJsonObject(audio)) {
    walkJson(audio, visitor)
    return
  }
  for (const name in audio) {
    const value = audio[name]
    if (name !== 'data' || typeof value !== 'string') walkMember(name, value, visitor)
    else if (WEB_ADDRESS.test(value)) visitor.document(0)
    else if (STEADY_AUDIO.has(audio.format)) visitor.audio(value.length)
    else visitor.document(value.length)
  }
}

/** Characters of base64 in a document; all else in it is visited as text. */
function walkDocument(name: string, value: unknown, visitor: PromptVisitor): number {
  if (typeof value === 'string') {
    const inline = parseDataUrl(value)
    const base64 = inline?.base64.length ?? (DATA_NAMES.has(name) && !ADDRESS.test(value) ? value.length : 0)
    if (base64 < value.length) visitor.text(value.slice(0, value.length - base64))
    return base64
  }
  let characters = 0
  if (Array.isArray(value)) {
    for (const item of value) characters += walkDocument(name, item, visitor)
  } else if (isJsonObject(value)) {
    for (const key in value) {
      visitor.text(key)
      characters += walkDocument(key, value[key], visitor)
    }
  } else {
    walkJson(value, visitor)
  }
  return characters
}

/** A value that a model reads as JSON. */
function walkJson(value: unknown, visitor: PromptVisitor): void {
  visitor.item()
  if (typeof value === 'string') {
    visitor.text(value)
  } else if (Array.isArray(value)) {
    for (const item of value) walkJson(item, visitor)
  } else if (isJsonObject(value)) {
    for (const name in value) {
      visitor.text(name)
      walkJson(value[name], visitor)
    }
  } else {
    visitor.text(String(value))
  }
}
