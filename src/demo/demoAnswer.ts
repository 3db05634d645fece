import type { DemoChoice } from './choice.ts'
import type { DemoRequest } from './demoRequest.ts'

// The shapes of OpenAI's chat completions: https://platform.openai.com/docs/api-reference/chat

/** The tokens a chat format adds to every message and to the prompt as a whole. */
const TOKENS_PER_MESSAGE = 4
const TOKENS_PER_PROMPT = 3

export interface DemoUsage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
}

export interface DemoEnvelope {
  readonly id: string
  /** Seconds since the epoch. */
  readonly created: number
  readonly model: string
}

/** @param promptTextTokens the tokenizer's count of the prompt's text */
export function demoUsage(
  request: DemoRequest,
  promptTextTokens: number,
  choices: readonly DemoChoice[],
): DemoUsage {
  const prompt = promptTextTokens + request.messages * TOKENS_PER_MESSAGE + TOKENS_PER_PROMPT
  const completion = choices.reduce((sum, choice) => sum + choice.pieces.length, 0)
  return { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
}

export function demoCompletion(
  envelope: DemoEnvelope,
  choices: readonly DemoChoice[],
  usage: DemoUsage,
): string {
  return JSON.stringify({
    id: envelope.id,
    object: 'chat.completion',
    created: envelope.created,
    model: envelope.model,
    choices: choices.map(({ pieces, finishReason }, index) => ({
      index,
      message: { role: 'assistant', content: pieces.join(''), refusal: null },
      logprobs: null,
      finish_reason: finishReason,
    })),
    usage,
  })
}

/** The events of a streamed answer, as SSE; each step of the list takes the time of one token per choice. */
export function demoSteps(
  envelope: DemoEnvelope,
  choices: readonly DemoChoice[],
  nullUsage: boolean,
): string[] {
  const usage = nullUsage ? { usage: null } : {}
  const event = (index: number, delta: object, finishReason: string | null) =>
    sse({
      id: envelope.id,
      object: 'chat.completion.chunk',
      created: envelope.created,
      model: envelope.model,
      choices: [{ index, delta, logprobs: null, finish_reason: finishReason }],
      ...usage,
    })
  const steps = [
    choices.map((_, index) => event(index, { role: 'assistant', content: '', refusal: null }, null)).join(''),
  ]
  const longest = Math.max(...choices.map((choice) => choice.pieces.length))
  for (let position = 0; position < longest; position++) {
    let step = ''
    choices.forEach(({ pieces }, index) => {
      const content = pieces[position]
      if (content !== undefined) step += event(index, { content }, null)
    })
    steps.push(step)
  }
  steps.push(choices.map(({ finishReason }, index) => event(index, {}, finishReason)).join(''))
  return steps
}

export function demoUsageEvent(envelope: DemoEnvelope, usage: DemoUsage): string {
  return sse({
    id: envelope.id,
    object: 'chat.completion.chunk',
    created: envelope.created,
    model: envelope.model,
    choices: [],
    usage,
  })
}

export const DONE = 'data: [DONE]\n\n'

export function demoError(message: string): string {
  return JSON.stringify({ error: { message, type: 'invalid_request_error', param: null, code: null } })
}

function sse(payload: object): string {
  return `data: ${JSON.stringify(payload)}\n\n`
}
