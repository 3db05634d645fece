import { DECIDING_LENGTH_MAX } from './decidingWords.ts'

/** The numbers of a sentence that says that something is too large. */
export interface Sizes {
  /** The most that the provider takes. */
  readonly limit: number
  /** What the request has, or asks for. */
  readonly requested?: number
  /** The part of it that is the prompt, where the rest is the output. */
  readonly prompt?: number
}

/** Each with the provider that writes so. `below` is one more than the limit. */
const SENTENCES: readonly RegExp[] = [
  // OpenAI, Groq: "Limit 6000, Requested 9000".
  /\blimit:? (?<limit>\d+)\b.{0,60}\brequested:? (?<requested>\d+)/i,
  // vLLM, DeepSeek: "… you requested 5000 tokens (1000 in the messages, 4000 in the completion)". OpenRouter: "about … of text input".
  /context length is (?<limit>\d+) tokens.{0,40}requested (?:about )?(?<requested>\d+) tokens(?: \((?<prompt>\d+) (?:in the messages|of text input))?/i,
  // OpenAI: "… your messages resulted in 9000 tokens". vLLM: "… your request has 1000 input tokens".
  /context length is (?<limit>\d+) tokens.{0,60}(?:resulted in|request has) (?<prompt>\d+)/i,
  // Anthropic: "178959 + 64000 > 200000"; of images and documents on Bedrock: "19 + 5 > 20".
  /(?<prompt>\d+) \+ (?<output>\d+) > (?<limit>\d+)/,
  // Anthropic: "214503 tokens > 200000 maximum", "8259148 bytes > 5242880 bytes", "max_tokens: 21333 > 4096".
  /(?<requested>\d+)(?: tokens| bytes)? > (?<limit>\d+)/,
  // Gemini: "The input token count (1048601) exceeds the maximum number of tokens allowed (1048576)".
  /token count \((?<requested>\d+)\) exceeds .{0,60}\((?<limit>\d+)\)/i,
  // Gemini, of the output: "a maxOutputTokens value of 655360 but the supported range is from 1 (inclusive) to 8193 (exclusive)".
  /value of (?<requested>\d+) but the supported range is from 1 \(inclusive\) to (?<below>\d+) \(exclusive\)/i,
  // OpenAI: "max_tokens is too large: 100000. This model supports at most 16384 completion tokens".
  /too large: (?<requested>\d+)\. .{0,40}at most (?<limit>\d+)/i,
  // OpenAI, Doubao: "expected a value <= 12288, but got 32000".
  /value <= (?<limit>\d+),? but got (?<requested>\d+)/i,
  // OpenAI: "Expected an array with maximum length 128, but got an array with length 150".
  /maximum length (?<limit>\d+), but got .{0,30}length (?<requested>\d+)/i,
  // Together: "must be <= 8193. Given: 8021 `inputs` tokens and 1024 `max_new_tokens`".
  /must be <= (?<limit>\d+)\. Given: (?<prompt>\d+) \S{1,10} tokens and (?<output>\d+)/i,
  // xAI: "maximum prompt length is 131072 but the request contains 140113 tokens".
  /prompt length is (?<limit>\d+) but the request contains (?<requested>\d+)/i,
  // Cerebras: "Current length is 42328 while limit is 40000".
  /length is (?<requested>\d+) while limit is (?<limit>\d+)/i,
  // Cohere: "cannot exceed 128000 - received 130201".
  /cannot exceed (?<limit>\d+) - received (?<requested>\d+)/i,
  // Mistral: "contains 40021 tokens and 0 draft tokens, too large for model with 32768 maximum context length".
  /contains (?<requested>\d+) tokens.{0,60}with (?<limit>\d+) maximum/i,
  // Bedrock: "exceeds the model limit of 4096".
  /model limit of (?<limit>\d+)/i,
  // DeepSeek, DashScope: "the valid range of max_tokens is [1, 8192]".
  /range of .{0,40}\[1, (?<limit>\d+)\]/i,
  // Groq, Cohere: "must be less than or equal to `16384`". vLLM, of images: "At most 1 image(s)".
  /(?:less than or equal to|at most) `?(?<limit>\d+)/i,
]

/** The numbers of a message; undefined where it has none that say that the limit is exceeded. */
export function sizesIn(message: string): Sizes | undefined {
  if (message.length > DECIDING_LENGTH_MAX) return undefined
  for (const sentence of SENTENCES) {
    const groups = sentence.exec(message)?.groups
    if (groups) return sizesOf(groups)
  }
  return undefined
}

function sizesOf(groups: Readonly<Record<string, string | undefined>>): Sizes | undefined {
  const [below, output, prompt] = [numberOf(groups.below), numberOf(groups.output), numberOf(groups.prompt)]
  const limit = numberOf(groups.limit) ?? (below === undefined ? undefined : below - 1)
  const sum = prompt === undefined ? undefined : prompt + (output ?? 0)
  const requested = numberOf(groups.requested) ?? sum
  if (limit === undefined) return undefined
  return {
    limit,
    ...(requested !== undefined && { requested }),
    ...(prompt !== undefined && { prompt }),
  }
}

function numberOf(digits: string | undefined): number | undefined {
  const number = Number(digits)
  return Number.isSafeInteger(number) ? number : undefined
}

/** How providers name the output limit of a request. */
const OUTPUT_LIMIT = /\bmax_?(?:completion_?|output_?|new_?)?tokens?\b|\bmaximum tokens\b/i

/** Whether a message, or the field that it names, is about the output limit of a request. */
export function namesOutputLimit(text: string | undefined): boolean {
  return text !== undefined && OUTPUT_LIMIT.test(text)
}
