import type { Message } from '../core/chat/request.ts'
import type { ModelFacts } from '../core/modelFacts.ts'
import { isSignedThought } from './droppedMessageFields.ts'
import { isBlank, partsOf } from './messageParts.ts'
import { readObjects } from './read.ts'
import { UnsupportedField } from './wire.ts'

/** What a user says who says nothing, where a message must have text. */
const WITHOUT_WORDS: Message = { role: 'user', content: '.' }

/**
 * A conversation for formats in which the model answers a user. Instructions at its end become the user's words in their
 * place: moved to the top they would leave the model's own last answer at the end, and it would go on with that. Where the
 * model takes them among the turns (`systemInPlace`) they stay what they are.
 * Throws `UnsupportedField` for an answer that is begun, where the model is known not to go on with one.
 */
export function answerable(messages: readonly Message[], facts: ModelFacts): readonly Message[] {
  refusePrefill(messages, facts)
  const spoken = lastTurnOf(messages)
  const turn = messages[spoken]
  if (turn === undefined) return askedByUser(messages)
  if (messages.findLastIndex(saysSomething) > spoken) {
    const staysInPlace = facts.systemInPlace === true && turn.role !== 'assistant'
    return staysInPlace ? messages : messages.map((message, i) => (i > spoken ? asUser(message) : message))
  }
  return isWords(turn) && messages.slice(spoken).some(({ role }) => role !== 'assistant')
    ? [...messages.slice(0, spoken + 1), WITHOUT_WORDS]
    : messages
}

/** Where only instructions say something, they are the user's words; where nothing does, the user says so. */
function askedByUser(messages: readonly Message[]): readonly Message[] {
  return messages.some(saysSomething) ? messages.map(asUser) : [WITHOUT_WORDS]
}

/** Throws `UnsupportedField` for an answer that its caller begins, where the model is known not to go on with one. */
export function refusePrefill(messages: readonly Message[], { refusesPrefill }: ModelFacts): void {
  if (refusesPrefill !== true) return
  const spoken = lastTurnOf(messages)
  const turn = messages[spoken]
  if (turn === undefined || !isWords(turn) || messages.slice(spoken).some(({ role }) => role !== 'assistant'))
    return
  throw new UnsupportedField(
    'messages',
    'This model does not go on with a message of the assistant. End the messages with one of the user.',
  )
}

/** The place of the last message that says something and does not instruct; -1 where none does. */
function lastTurnOf(messages: readonly Message[]): number {
  return messages.findLastIndex((message) => !isInstruction(message) && saysSomething(message))
}

/** Whether the model speaks, and calls nothing. */
function isWords({ role, tool_calls: calls }: Message): boolean {
  return role === 'assistant' && (calls?.length ?? 0) === 0
}

/**
 * The places of instructions that may stay among the turns: behind one of the user, and before one of the model's or the
 * end.
 */
export function instructionsInPlace(messages: readonly Message[]): ReadonlySet<number> {
  const staying = new Set<number>()
  let open: number[] = []
  let follows: 'user' | 'assistant' | undefined
  for (const [i, message] of messages.entries()) {
    if (!saysSomething(message)) continue
    if (isInstruction(message)) {
      if (follows === 'user') open.push(i)
      continue
    }
    follows = message.role === 'assistant' ? 'assistant' : 'user'
    if (follows === 'assistant') for (const place of open) staying.add(place)
    open = []
  }
  for (const place of open) staying.add(place)
  return staying
}

function isInstruction({ role }: Message): boolean {
  return role === 'system' || role === 'developer'
}

function asUser(message: Message): Message {
  return isInstruction(message) ? { ...message, role: 'user' } : message
}

/** Messages without a word are not sent: two providers refuse them, and to them white space alone says nothing. */
function saysSomething(message: Message): boolean {
  const { role, tool_calls: calls, refusal } = message
  if (role === 'tool' || role === 'function' || (calls?.length ?? 0) > 0 || Boolean(refusal)) return true
  return partsOf(message).some((part) => !isBlank(part)) || hasThoughtsOrImages(message)
}

/** Whether an answer has thoughts or images to send back: a limit can end it before its first word. */
function hasThoughtsOrImages({ role, images, reasoning_details: details }: Message): boolean {
  return role === 'assistant' && (readObjects(images).length > 0 || (details ?? []).some(isSignedThought))
}
