import { chatCompletions } from './chatCompletions.ts'
import { countTokens } from './countTokens.ts'
import { credits } from './credits.ts'
import type { DataPlaneEndpoint } from './endpoint.ts'
import { generation } from './generation.ts'
import { inputTokens } from './inputTokens.ts'
import { deletedResponse, inputItems, keptResponse } from './keptResponses.ts'
import { key } from './key.ts'
import { messages } from './messages.ts'
import { model, models } from './models.ts'
import { responses } from './responses.ts'

/** Everything under `/v1`, in the order of the documents. */
export const DATA_PLANE_ENDPOINTS: readonly DataPlaneEndpoint[] = [
  chatCompletions,
  messages,
  countTokens,
  responses,
  inputTokens,
  keptResponse,
  deletedResponse,
  inputItems,
  models,
  model,
  key,
  credits,
  generation,
]
