import type { ChatRequest } from '../../src/core/chat/request.ts'
import { type Json, type JsonObject, isJsonObject } from '../../src/core/json.ts'
import { openAiChat } from '../../src/wire/openai-chat/openAiChat.ts'
import type { Outcome } from './conversationWorld.ts'
import { type Deviation, deviations } from './compare.ts'
import type { Conversation } from './conversation.ts'
import type { Difference } from './difference.ts'
import { meaningOfAnswer, meaningOfRequest } from './meaning.ts'

/** A difference as it happened; what is not explained has no words yet. */
export type Observed = Exclude<Difference, { kind: 'changed' }> | ({ kind: 'changed' } & Change)

interface Change extends Deviation {
  readonly where: 'request' | 'answer'
}

/** How a conversation differed from what the caller asked and the model said. */
export function observe(conversation: Conversation, outcome: Outcome): Observed[] {
  if (outcome.kind === 'refused') {
    const { status, error } = outcome
    if (status !== 400) throw new Error(`answered ${status}: ${error.message}`)
    return [{ kind: 'refused', param: error.param ?? '' }]
  }
  const { dropped, received, answer } = outcome
  const asked = deviations(meaningOfRequest(requestOf(conversation)), meaningOfReceived(received, dropped))
  const dropsExplain = (path: string) => dropped.some((field) => isPathOf(field, path))
  const changes = asked.filter(({ path, actual }) => actual !== undefined || !dropsExplain(path))
  const told = deviations(meaningOfAnswer(conversation.answer), meaningOfAnswer(answer))
  const lost = asked.filter(({ actual }) => actual === undefined)
  return [
    ...dropped.map((field): Observed => {
      // A field is dropped only if the provider indeed received nothing of it.
      if (lost.some(({ path }) => isPathOf(field, path))) return { kind: 'dropped', field }
      return { kind: 'dropped', field: `${field}, which the provider received` }
    }),
    ...changes.map((change): Observed => ({ kind: 'changed', where: 'request', ...change })),
    ...told.map((change): Observed => ({ kind: 'changed', where: 'answer', ...change })),
  ]
}

/**
 * An outcome in the names of what is declared: callers of other formats have names of their own for the same fields, or one name
 * for two of them. That the provider received nothing of a dropped one, `observe` still checks.
 */
export function inNamesOf(declared: readonly Difference[], outcome: Outcome): Outcome {
  if (outcome.kind === 'refused') {
    const refused = declared.find((difference) => difference.kind === 'refused')
    if (refused === undefined || outcome.error.param === null) return outcome
    return { ...outcome, error: { ...outcome.error, param: refused.param } }
  }
  const fields = droppedOf(declared)
  const isNamed = outcome.dropped.length > 0 && outcome.dropped.length <= fields.length
  return isNamed ? { ...outcome, dropped: fields } : outcome
}

/**
 * The same, where each name must be the caller's word for a field that is declared. Several fields may have one word.
 *
 * @param wordsOf how the caller calls a field of a chat completion
 */
export function inWordsOf(wordsOf: (field: string, request: JsonObject) => string) {
  return (declared: readonly Difference[], outcome: Outcome, request: JsonObject): Outcome => {
    const fieldsOf = (word: string, fields: readonly string[]): readonly string[] => {
      const named = fields.filter((field) => wordsOf(field, request) === word)
      return named.length > 0 ? named : [`${word}, by the word of the caller`]
    }
    if (outcome.kind === 'refused') {
      const { param } = outcome.error
      const refused = declared.flatMap((difference) =>
        difference.kind === 'refused' ? [difference.param] : [],
      )
      return param === null
        ? outcome
        : { ...outcome, error: { ...outcome.error, param: fieldsOf(param, refused).join() } }
    }
    const fields = droppedOf(declared)
    return { ...outcome, dropped: outcome.dropped.flatMap((name) => fieldsOf(name, fields)) }
  }
}

function droppedOf(declared: readonly Difference[]): readonly string[] {
  return declared.flatMap((difference) => (difference.kind === 'dropped' ? [difference.field] : []))
}

/** What happened and was not declared, and what was declared and did not happen; in words for the test's message. */
export function undeclared(observed: readonly Observed[], declared: readonly Difference[]): string[] {
  const open = declared.map(keyOf)
  const surprises: string[] = []
  for (const key of observed.map(keyOf)) {
    const at = open.indexOf(key)
    if (at < 0) surprises.push(`not declared: ${key}`)
    else open.splice(at, 1)
  }
  return [...surprises, ...open.map((key) => `declared and not seen: ${key}`)]
}

function keyOf(difference: Observed | Difference): string {
  switch (difference.kind) {
    case 'refused':
      return `refused(${JSON.stringify(difference.param)})`
    case 'dropped':
      return `dropped(${JSON.stringify(difference.field)})`
    case 'changed': {
      const { where, path } = difference
      const to = 'to' in difference ? difference.to : difference.actual
      const text = to === undefined ? 'undefined' : JSON.stringify(inOrder(to))
      return `${where === 'request' ? 'sends' : 'gives'}(${JSON.stringify(path)}, ${text})`
    }
    default:
      return difference satisfies never
  }
}

/** With the fields of every object in one order. */
function inOrder(value: Json | undefined): Json {
  if (Array.isArray(value)) return value.map((item: Json) => inOrder(item))
  if (!isJsonObject(value)) return value ?? null
  const names = Object.keys(value).toSorted()
  return Object.fromEntries(names.map((name) => [name, inOrder(value[name])]))
}

function requestOf({ request }: Conversation): ChatRequest {
  const decoded = openAiChat.server.decodeRequest({ model: 'any', ...request })
  if (!decoded.ok) throw new Error(`no request: ${decoded.refusal.message}`)
  return decoded.request
}

/** A temperature that was dropped is none, not the default that goes without saying. */
function meaningOfReceived(received: readonly ChatRequest[], dropped: readonly string[]): JsonObject {
  const request = withoutScope(joined(received))
  const { temperature, ...others } = meaningOfRequest(request)
  return request.temperature === undefined && dropped.includes('temperature')
    ? others
    : { ...others, temperature }
}

/** The ids as the caller gave them: a hash of its workspace is put in front. */
function withoutScope({ user, promptCacheKey, extra, ...others }: ChatRequest): ChatRequest {
  const own = (id: string): string => id.replace(/^[\w-]{8}-/, '')
  const { safety_identifier: identifier } = extra
  return {
    ...others,
    ...(user !== undefined && { user: own(user) }),
    ...(promptCacheKey !== undefined && { promptCacheKey: own(promptCacheKey) }),
    extra: { ...extra, ...(typeof identifier === 'string' && { safety_identifier: own(identifier) }) },
  }
}

/** Parallel calls for one choice each mean one call for all of them. */
function joined(received: readonly ChatRequest[]): ChatRequest {
  const [first, ...others] = received
  if (first === undefined) throw new Error('the provider received nothing')
  for (const other of others)
    if (!Bun.deepEquals(other, first)) throw new Error('parallel calls differ from one another')
  return { ...first, n: received.reduce((sum, { n }) => sum + n, 0) }
}

/** `top_p` is `topP`, `logit_bias` is `extra.logit_bias`, `messages.name` is that of any message. */
function isPathOf(field: string, path: string): boolean {
  const plain = path.replace(/\[\d+\]/g, '').replace(/^extra\./, '')
  const camel = field.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase())
  return plain === field || plain === camel || plain.startsWith(`${field}.`)
}
