import type { Frame } from '../../../core/answer/frame.ts'
import { parseExactly } from '../../../core/exactNumber.ts'
import { type Json, type JsonObject, isJsonObject, parseFrame } from '../../../core/json.ts'
import { editJson } from '../../../core/jsonText.ts'
import { insideEdits } from '../../inside.ts'
import { readNumber, readObject, readText } from '../../read.ts'
import type { Envelope } from '../../wire.ts'
import { MESSAGE } from './answerShape.ts'
import { isCounted } from './carryFrames.ts'

/** Clients of the format read the usage without asking: an answer without it is written by the gateway. */
export function passAnswer(text: string, answer: JsonObject): string | undefined {
  if (!isCounted(answer)) return undefined
  return editJson(text, insideEdits(answer, MESSAGE))
}

/** With the caller's id and model. */
export function writeAnswer(raw: string, { id, model }: Pick<Envelope, 'id' | 'model'>): string {
  return editJson(raw, [
    { path: ['id'], json: JSON.stringify(id) },
    { path: ['model'], json: JSON.stringify(model) },
  ])
}

/** The first frame of a stream, with the caller's id and model. */
export function writeStart(data: string, { id, model }: Pick<Envelope, 'id' | 'model'>): string {
  return editJson(data, [
    { path: ['message', 'id'], json: JSON.stringify(id) },
    { path: ['message', 'model'], json: JSON.stringify(model) },
  ])
}

/** Gathers a message from its stream as the format's own clients do. */
export function gather(frames: readonly Frame[]): string | undefined {
  let message: Record<string, Json | undefined> | undefined
  const blocks = new Map<number, Block>()
  for (const { event, data } of frames) {
    const json = readObject(parseFrame(data)) ?? {}
    switch (event) {
      case 'message_start':
        message = { ...readObject(json.message) }
        break
      case 'content_block_start':
        blocks.set(readNumber(json.index) ?? 0, {
          fields: { ...readObject(json.content_block) },
          input: '',
          citations: [],
        })
        break
      case 'content_block_delta': {
        const block = blocks.get(readNumber(json.index) ?? 0)
        if (!block) return undefined
        extend(block, readObject(json.delta) ?? {})
        break
      }
      case 'message_delta':
        message = message && ended(message, json)
        break
      default:
    }
  }
  if (!message) return undefined
  const content = [...blocks.values()].map(finished)
  return content.includes(undefined) ? undefined : JSON.stringify({ ...message, content })
}

interface Block {
  readonly fields: Record<string, Json | undefined>
  /** Of a tool: its arguments so far. */
  input: string
  /** Of a text. */
  readonly citations: Json[]
}

function extend(block: Block, delta: JsonObject): void {
  const { fields } = block
  const { type, partial_json: fragment, citation, ...said } = delta
  switch (type) {
    case 'input_json_delta':
      block.input += readText(fragment) ?? ''
      return
    case 'citations_delta':
      block.citations.push(citation ?? null)
      return
    default:
      for (const name in said) {
        const more = said[name]
        const before = fields[name]
        fields[name] = typeof before === 'string' && typeof more === 'string' ? before + more : more
      }
  }
}

/** Undefined where the arguments are not JSON. */
function finished({ fields, input, citations }: Block): JsonObject | undefined {
  if (citations.length > 0) fields.citations = citations
  if (input === '') return fields
  try {
    return { ...fields, input: parseExactly(input) as Json }
  } catch {
    // The gateway writes such calls in its own way.
    return undefined
  }
}

/** What `message_delta` says is of the whole message; its usage is what has come so far. */
function ended(
  message: JsonObject,
  { type: _event, delta, usage, ...beside }: JsonObject,
): Record<string, Json | undefined> {
  const known = readObject(message.usage)
  const later = Object.entries(readObject(usage) ?? {}).filter(([, value]) => value !== null)
  return {
    ...message,
    ...(isJsonObject(delta) && delta),
    ...beside,
    usage: { ...known, ...Object.fromEntries(later) },
  }
}
