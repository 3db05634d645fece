import type { Message, ToolCall } from '../../core/chat/request.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { instructionsInPlace } from '../lastTurn.ts'
import { isBlank, saidIn, textPart } from '../messageParts.ts'
import { compact, readText } from '../read.ts'
import { functionCallsOf, parseArguments } from '../toolCalls.ts'
import { encodeContent, encodeTextContent } from './parts.ts'
import { encodeThinking } from './reasoning.ts'

/** A conversation in this format: instructions apart, roles in turn. */
export interface EncodedConversation {
  readonly system: string | readonly JsonObject[] | undefined
  readonly messages: readonly JsonObject[]
}

interface Turn {
  readonly role: 'user' | 'assistant' | 'system'
  /** A string when the turn is one plain text. */
  content: string | JsonObject[]
}

const NONE: ReadonlySet<number> = new Set()

/**
 * Instructions go to the top, wherever they were; neighbours of one role become one turn.
 *
 * @param inPlace the model takes instructions among the turns, behind one of the user and before one of its own or the end:
 *   those stay, and what is before them stays in its prompt cache
 */
export function encodeMessages(messages: readonly Message[], inPlace: boolean): EncodedConversation {
  const system: JsonObject[] = []
  const turns: Turn[] = []
  const staying = inPlace ? instructionsInPlace(messages) : NONE
  for (const [i, message] of messages.entries()) {
    const param = `messages[${i}]`
    switch (message.role) {
      case 'system':
      case 'developer':
        if (staying.has(i)) addTurn(turns, 'system', encodeInstruction(message, param))
        else system.push(...encodeInstruction(message, param))
        break
      case 'user':
        addTurn(turns, 'user', plain(message) ?? encodeContent(message.content ?? '', `${param}.content`))
        break
      case 'assistant':
        addTurn(turns, 'assistant', encodeAssistant(message, param))
        break
      case 'tool':
      case 'function':
        addTurn(turns, 'user', [encodeToolResult(message, param)])
        break
    }
  }
  const last = turns.at(-1)
  if (last?.role === 'assistant') last.content = withoutTrailingSpace(last.content)
  return conversation(system, turns)
}

/**
 * Whether the model goes on with a turn of its own that shows no signed thinking: one that calls tools, or one that its
 * caller begins. Thinking beside it is refused: "a final `assistant` message must start
 * with a thinking block" (anomalyco/opencode#3077).
 */
export function endsInUnsignedTurn(messages: readonly Message[]): boolean {
  const last = messages.findLast((message) => message.role === 'assistant')
  if (last === undefined || encodeThinking(last).length > 0) return false
  return (last.tool_calls?.length ?? 0) > 0 || last === messages.at(-1)
}

function conversation(system: readonly JsonObject[], turns: readonly Turn[]): EncodedConversation {
  const isPlain = system.every((block) => block.cache_control === undefined)
  const text = system.map((block) => readText(block.text) ?? '').join('\n\n')
  // The API wants at least one turn, and images of an earlier answer are none.
  if (turns.length === 0) return { system: undefined, messages: [{ role: 'user', content: text }] }
  const messages = turns.map(({ role, content }) => ({ role, content: resultsFirst(content) }))
  if (system.length === 0) return { system: undefined, messages }
  return { system: isPlain ? text : system, messages }
}

/** Grows the last turn in place: a conversation may be one turn of thousands of messages. */
function addTurn(turns: Turn[], role: Turn['role'], content: Turn['content']): void {
  if (content.length === 0) return
  const last = turns.at(-1)
  if (last?.role !== role) {
    turns.push({ role, content })
    return
  }
  const blocks = asBlocks(last.content)
  for (const block of asBlocks(content)) blocks.push(block)
  last.content = blocks
}

/** Results must come before anything else in their turn. */
function resultsFirst(content: Turn['content']): Turn['content'] {
  if (typeof content === 'string' || !content.some(isToolResult)) return content
  return [...content.filter(isToolResult), ...content.filter((block) => !isToolResult(block))]
}

function isToolResult(block: JsonObject): boolean {
  return block.type === 'tool_result'
}

function asBlocks(content: Turn['content']): JsonObject[] {
  return typeof content === 'string' ? encodeContent(content, '') : content
}

/** The content when it is a string and can stay one; empty where it has no word. */
function plain({ content }: Message): string | undefined {
  return typeof content === 'string' ? wordsOf(content) : undefined
}

function wordsOf(text: string): string {
  return isBlank(textPart(text)) ? '' : text
}

/** Its parts are one text, but where the prompt cache has a breakpoint between them. */
function encodeInstruction(message: Message, param: string): JsonObject[] {
  const blocks = encodeTextContent(message.content ?? '', `${param}.content`)
  if (blocks.length < 2 || blocks.some((block) => block.cache_control !== undefined)) return blocks
  return [{ type: 'text', text: blocks.map((block) => readText(block.text) ?? '').join('') }]
}

function encodeAssistant(message: Message, param: string): Turn['content'] {
  const before = encodeThinking(message)
  const after = functionCallsOf(message, param).map((call, i) =>
    encodeToolCall(call, `${param}.tool_calls[${i}]`),
  )
  const said = saidIn(message)
  if (before.length === 0 && after.length === 0 && typeof said === 'string') return wordsOf(said)
  return [...before, ...encodeTextContent(said, `${param}.content`), ...after]
}

function encodeToolCall(call: ToolCall, param: string): JsonObject {
  const { id, function: called } = call
  const cache = call.cache_control as Json | undefined
  return compact({
    type: 'tool_use',
    id,
    name: called.name,
    input: parseArguments(call, param),
    cache_control: cache,
  })
}

function encodeToolResult(message: Message, param: string): JsonObject {
  const content = plain(message) ?? encodeContent(message.content ?? '', `${param}.content`)
  return compact({
    type: 'tool_result',
    tool_use_id: message.tool_call_id ?? '',
    content: content.length > 0 ? content : undefined,
    is_error: message.is_error === true ? true : undefined,
    cache_control: message.cache_control as Json | undefined,
  })
}

/** The API refuses a last assistant turn that ends in white space. */
function withoutTrailingSpace(content: Turn['content']): Turn['content'] {
  if (typeof content === 'string') return content.trimEnd()
  const last = content.at(-1)
  if (last?.type !== 'text' || typeof last.text !== 'string') return content
  const text = last.text.trimEnd()
  return [...content.slice(0, -1), ...(text === '' ? [] : [{ ...last, text }])]
}
