import { expect, test } from 'bun:test'
import { readError } from './readError.ts'

const kindOf = (message: string) =>
  readError({ status: 400, codes: [], message, sent: undefined, body: message }).kind

test.each([
  // Amazon Nova
  'The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again.',
  // Claude, and on Bedrock
  'prompt is too long: 200005 tokens > 200000 maximum',
  'Input is too long for requested model.',
  // OpenAI
  "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
  'Your input exceeds the context window of this model.',
  // Gemini
  'The input token count (1234567) exceeds the maximum number of tokens allowed (1048576).',
  'The input token count exceeds the maximum number of tokens allowed (1048576).',
  // Qwen on DashScope, and where it is resold
  '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 260096]',
  // Cohere
  'too many tokens: total number of tokens in the prompt cannot exceed 8192 - received 9000.',
  // Ollama, llama.cpp
  'the input length exceeds the context length',
  'the request exceeds the available context size. try increasing the context size or enable context shift',
  // vLLM
  'The decoder prompt (length 9021) is longer than the maximum model length of 8192.',
  'max_tokens must be at least 1, got -186.',
  // LM Studio
  'Cannot truncate prompt with n_keep (15028) >= n_ctx (7424)',
  // Together, Hugging Face, Poolside
  "The input (500 tokens) is longer than the model's context length (128000 tokens).",
  'Input validation error: `inputs` must have less than 4096 tokens. Given: 5000.',
  'Input length 200000 exceeds the maximum allowed input length of 128000 tokens.',
])('a prompt that does not fit is known by its words: %s', (words) => {
  expect(kindOf(words)).toBe('too_large')
})

test.each([
  'The maximum tokens you requested exceeds the model limit of 4096.',
  'Range of max_tokens should be [1, 8192]',
  'max_tokens is too large: 5000. This model supports at most 4096 completion tokens.',
  'max_tokens must be at least 1, got 0.',
  'Number of stop sequences exceeds maximum of 4.',
])('a setting out of range is not taken for it: %s', (words) => {
  expect(kindOf(words)).toBe('bad_request')
})
