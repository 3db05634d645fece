import type { AnswerEvent, Delta } from '../../../src/core/answer/event.ts'
import type { ReasoningDetail } from '../../../src/core/chat/request.ts'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import { textOf } from '../callers/compact.ts'
import { markedThoughts } from './secret.ts'

const BLANK_LINE = '\n\n'

/** Reads the items of one answer in their order. */
export interface ItemReader {
  hear(item: JsonObject): AnswerEvent[]
  /** How many calls there were so far. */
  readonly calls: number
}

/** What a caller of Responses reads in items, by OpenAI's documents and not with the code of `src`. */
export function itemReader(): ItemReader {
  let items = 0
  let calls = 0
  /** In UTF-16 units. */
  let spoken = 0
  let hasThought = false

  function hear(item: JsonObject): Said[] {
    const place = items++
    switch (item['type']) {
      case 'message':
        return listOf(item['content']).map((part) => {
          const said = hearPart(part, spoken)
          spoken += said.delta.content?.length ?? 0
          return said
        })
      case 'reasoning': {
        const delta = hearThought(item, place)
        if (delta.reasoning_content === undefined) return [{ delta }]
        const before = hasThought ? BLANK_LINE : ''
        hasThought = true
        return [{ delta: { ...delta, reasoning_content: before + delta.reasoning_content } }]
      }
      case 'function_call':
      case 'custom_tool_call':
        return [{ delta: { tool_calls: [{ index: calls++, ...hearCall(item) }] } }]
      default:
        throw new Error(`not an item of Responses: ${JSON.stringify(item)}`)
    }
  }

  return {
    hear: (item) => hear(item).map((said) => ({ type: 'delta', index: 0, ...said })),
    get calls() {
      return calls
    },
  }
}

interface Said {
  readonly delta: Delta
  readonly logprobs?: JsonObject
}

/** @param start where the part begins in the text of the answer */
function hearPart({ type, text, refusal, annotations, logprobs }: JsonObject, start: number): Said {
  if (type === 'refusal') return { delta: { refusal: textOf(refusal) } }
  if (type !== 'output_text') throw new Error(`not a part of an answer: ${JSON.stringify(type)}`)
  const cited = listOf(annotations).map(({ type: kind, url, title, start_index: from, end_index: to }) => ({
    type: kind ?? null,
    url_citation: { url, title, start_index: start + Number(from), end_index: start + Number(to) },
  }))
  return {
    delta: { content: textOf(text), ...(cited.length > 0 && { annotations: cited }) },
    ...(listOf(logprobs).length > 0 && { logprobs: { content: listOf(logprobs), refusal: null } }),
  }
}

function hearThought(item: JsonObject, index: number): Delta {
  const summary = textsOf(item['summary'])
  const content = textsOf(item['content'])
  const shown = (summary.length > 0 ? summary : content).join(BLANK_LINE)
  const details = hearDetails(item, index)
  return {
    ...(shown !== '' && { reasoning_content: shown }),
    ...(details.length > 0 && { reasoning_details: details }),
  }
}

/** What can be sent back: without a secret or the thoughts themselves it is the text alone. */
function hearDetails({ summary, content, encrypted_content: secret }: JsonObject, index: number) {
  const [marked, ...others] = markedThoughts(secret) ?? []
  if (marked !== undefined) {
    const text = textsOf(summary).join('')
    const first = others.length === 0 && text !== '' ? { ...marked, text } : marked
    return [first, ...others] as unknown as ReasoningDetail[]
  }
  if (secret === undefined && textsOf(content).length === 0) return []
  const own = { format: 'openai-responses-v1', index }
  return [
    ...textsOf(summary).map((part) => ({ type: 'reasoning.summary', summary: part, ...own })),
    ...textsOf(content).map((text) => ({ type: 'reasoning.text', text, ...own })),
    ...(secret === undefined ? [] : [{ type: 'reasoning.encrypted', data: textOf(secret), ...own }]),
  ]
}

function hearCall({ type, call_id: id, name, arguments: given, input }: JsonObject) {
  return type === 'function_call'
    ? {
        id: textOf(id),
        type: 'function' as const,
        function: { name: textOf(name), arguments: textOf(given) },
      }
    : ({ id: textOf(id), type: 'custom', custom: { name: textOf(name), input: textOf(input) } } as object)
}

export function listOf(value: Json | undefined): readonly JsonObject[] {
  return (value ?? []) as readonly JsonObject[]
}

function textsOf(parts: Json | undefined): string[] {
  return listOf(parts).map(({ text }) => textOf(text))
}
