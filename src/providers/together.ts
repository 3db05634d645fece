import type { UpstreamFailure } from '../core/failure.ts'
import type { ErrorAnswer } from '../wire/wire.ts'
import type { Provider } from './provider.ts'

// https://docs.together.ai/reference/chat-completions
export const together: Provider = {
  id: 'together',
  displayName: 'Together AI',
  wire: 'openai-chat',
  baseUrl: 'https://api.together.ai/v1',
  auth: { kind: 'bearer' },
  keyVariable: 'TOGETHER_API_KEY',
  quirks: {
    maxTokensField: 'max_tokens',
    instructionRole: 'system',
    patchFailure: readForbidden,
    // Its own default depends on the model.
    sendDefaultTemperature: true,
  },
}

/** Its 403 says that prompt and output together exceed the context, unless a code or its words say otherwise. */
function readForbidden(answer: ErrorAnswer, failure: UpstreamFailure): UpstreamFailure {
  return answer.status === 403 && failure.sign === 'status' ? { ...failure, kind: 'too_large' } : failure
}
