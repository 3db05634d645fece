import type { ContentPart, Message, ReasoningDetail } from '../core/chat/request.ts'
import { partsOf } from './messageParts.ts'
import { readObject, readText } from './read.ts'
import type { RequestFields } from './requestFields.ts'

/** What a format takes of the fields inside messages; what is false or left out is noted as dropped. */
export interface MessageFields {
  /** `image_url.detail`. */
  readonly imageDetail?: boolean
  /** `is_error` of a tool result. */
  readonly resultError?: boolean
  /** `file.filename`. */
  readonly filename?: boolean
  /** Whether it takes this reasoning block of an earlier answer back. */
  readonly reasoningDetail: (detail: ReasoningDetail) => boolean
  /** A refusal in a message that has content too. */
  readonly refusalBesideContent?: boolean
  /** Images that the model made in an earlier turn. */
  readonly generatedImages?: boolean
  /** Reasoning as plain text, without a block that says the same. */
  readonly reasoningText?: boolean
}

/**
 * Notes the fields inside messages that the format has no place for. A speaker's `name` is one of them in
 * every format but OpenAI's; on results it is the function's, which the call tells too.
 */
export function dropMessageFields(
  messages: readonly Message[],
  fields: RequestFields,
  takes: MessageFields,
): void {
  for (const message of messages) {
    const { role, name, content } = message
    if (role !== 'tool' && role !== 'function') fields.drop({ 'messages.name': readText(name) })
    if (typeof content === 'object' && content !== null)
      for (const part of content) dropPartFields(part, fields, takes)
    if (message.is_error === true && takes.resultError !== true) fields.drop({ 'messages.is_error': true })
    if (role !== 'assistant') continue
    dropReasoning(message, fields, takes)
    // Audio of an earlier answer is only named by its id.
    fields.drop({ 'messages.audio': message.audio })
    if (takes.refusalBesideContent !== true && message.refusal && partsOf(message).length > 0)
      fields.drop({ 'messages.refusal': message.refusal })
    if (takes.generatedImages !== true) fields.drop({ 'messages.images': message.images })
  }
}

function dropPartFields(part: ContentPart, fields: RequestFields, takes: MessageFields): void {
  const detail = readText(readObject(part.image_url)?.detail)
  // `auto` is what is done without a word.
  if (takes.imageDetail !== true && detail !== 'auto')
    fields.drop({ 'messages.content.image_url.detail': detail })
  if (takes.filename !== true)
    fields.drop({ 'messages.content.file.filename': readText(readObject(part.file)?.filename) })
}

function dropReasoning(message: Message, fields: RequestFields, takes: MessageFields): void {
  const details = message.reasoning_details ?? []
  const taken = details.filter(takes.reasoningDetail)
  if (taken.length < details.length) fields.drop({ 'messages.reasoning_details': true })
  const told =
    takes.reasoningText === true ||
    taken.some(({ type }) => type === 'reasoning.text' || type === 'reasoning.summary')
  if (!told) fields.drop({ 'messages.reasoning_content': readText(message.reasoning_content) })
}

/** A signed or encrypted thought. What has an `id` is the signature of another provider's call. */
export function isSignedThought({ type, id, signature, data }: ReasoningDetail): boolean {
  if (id !== undefined) return false
  if (type === 'reasoning.encrypted') return data !== undefined
  return type === 'reasoning.text' && signature !== undefined
}
