import { testCharges } from './charges.ts'

testCharges(
  'Messages',
  {
    path: '/v1/messages',
    ask: (content, limit) => ({ messages: [{ role: 'user', content }], max_tokens: limit }),
  },
  ['openai-chat', 'anthropic-messages'],
)
