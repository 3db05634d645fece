import { z } from 'zod'
import type { Model as KnownModel } from '../../core/model.ts'
import {
  deprecationHeaders,
  describeModel,
  listModels,
  retrieveModel,
  usableModels,
} from '../../pipeline/plan/models.ts'
import { encodeModel, encodeModelPage } from '../../wire/anthropic-messages/encodeModel.ts'
import { AnthropicModel, AnthropicModelList } from '../docs/anthropicModelSchema.ts'
import { MessageError } from '../docs/anthropicSchema.ts'
import { ErrorBody, answers } from '../docs/errorSchema.ts'
import { counted } from './counted.ts'
import type { CountedCall } from './endpoint.ts'
import { forAnthropic } from './forAnthropic.ts'
import { ANTHROPIC_VERSION, DEPRECATION_HEADERS, RATE_HEADERS, REQUEST_ID_HEADER } from './headers.ts'
import { ModelPageQuery, modelPageOf } from './modelPage.ts'

const Model = z
  .object({
    id: z.string().meta({ example: 'acme/chat-1' }),
    object: z.literal('model'),
    created: z.int().meta({ description: 'Unix seconds.', example: 1_795_176_000 }),
    owned_by: z.string().meta({ description: 'Who made it, in lowercase.', example: 'acme' }),
  })
  .meta({ id: 'Model' })

const ModelList = z.object({ object: z.literal('list'), data: z.array(Model) }).meta({ id: 'ModelList' })

const EitherError = z.union([ErrorBody, MessageError])

export const models = counted({
  path: '/v1/models',
  description: {
    operationId: 'list_models',
    summary: 'List the models of the workspace',
    tag: 'Models and completions',
    details:
      'With the header `anthropic-version`, of any value, the list has the shape of Anthropic: by pages, the newest model first.',
    request: { headers: ANTHROPIC_VERSION, query: ModelPageQuery },
    responses: answers(200, 'The models that this key may use.', z.union([ModelList, AnthropicModelList]), {
      ...RATE_HEADERS,
      ...REQUEST_ID_HEADER,
    }),
    refusals: ['invalid_request'],
    error: EitherError,
  },
  describe: ({ caller, deps }) => listModels(caller, deps.catalog(), deps.now()),
  otherFormats: [
    forAnthropic(({ caller, query, deps }) => {
      const at = deps.now()
      const page = modelPageOf(usableModels(caller, deps.catalog(), at), query)
      return encodeModelPage(page.models, page.hasMore, at)
    }),
  ],
})

export const model = counted({
  path: '/v1/models/{model_id}',
  description: {
    operationId: 'get_model',
    summary: 'Show a model',
    tag: 'Models and completions',
    details: 'With the header `anthropic-version`, of any value, the model has the shape of Anthropic.',
    request: {
      headers: ANTHROPIC_VERSION,
      params: z.object({
        model_id: z
          .string()
          .meta({ description: 'Id or alias. A `/` in it may stay or be percent-encoded.' }),
      }),
    },
    responses: answers(200, 'The model.', z.union([Model, AnthropicModel]), {
      ...RATE_HEADERS,
      ...DEPRECATION_HEADERS,
      ...REQUEST_ID_HEADER,
    }),
    refusals: ['model_not_found', 'model_not_accessible'],
    error: EitherError,
  },
  describe: (call) => describeModel(askedModel(call)),
  otherFormats: [forAnthropic((call) => encodeModel(askedModel(call), call.deps.now()))],
})

function askedModel({ caller, params, exchange, deps }: CountedCall): KnownModel {
  const name = params['model_id'] ?? ''
  exchange.model = name
  const found = retrieveModel(name, caller, deps.catalog(), deps.now())
  Object.assign(exchange.headers, deprecationHeaders(found))
  return found
}
