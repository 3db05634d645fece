import { testCharges } from './charges.ts'

testCharges(
  'Responses',
  { path: '/v1/responses', ask: (input, limit) => ({ input, max_output_tokens: limit }) },
  ['openai-chat', 'anthropic-messages', 'openai-responses'],
)
