import { z } from 'zod'
import { deprecationHeaders, describeModel, listModels, retrieveModel } from '../../pipeline/plan/models.ts'
import { answers } from '../docs/errorSchema.ts'
import { counted } from './counted.ts'
import { DEPRECATION_HEADERS, RATE_HEADERS } from './headers.ts'

const Model = z
  .object({
    id: z.string().meta({ example: 'acme/chat-1' }),
    object: z.literal('model'),
    created: z.int().meta({ description: 'Unix seconds.', example: 1_795_176_000 }),
    owned_by: z.string().meta({ description: 'Who made it, in lowercase.', example: 'acme' }),
  })
  .meta({ id: 'Model' })

const ModelList = z.object({ object: z.literal('list'), data: z.array(Model) }).meta({ id: 'ModelList' })

export const models = counted({
  path: '/v1/models',
  description: {
    operationId: 'list_models',
    summary: 'List the models of the workspace',
    tag: 'Models and completions',
    responses: answers(200, 'The models that this key may use.', ModelList, RATE_HEADERS),
  },
  describe: ({ caller, deps }) => listModels(caller, deps.catalog(), deps.now()),
})

export const model = counted({
  path: '/v1/models/{model_id}',
  description: {
    operationId: 'get_model',
    summary: 'Show a model',
    tag: 'Models and completions',
    request: {
      params: z.object({
        model_id: z
          .string()
          .meta({ description: 'Id or alias. A `/` in it may stay or be percent-encoded.' }),
      }),
    },
    responses: answers(200, 'The model.', Model, { ...RATE_HEADERS, ...DEPRECATION_HEADERS }),
    refusals: ['model_not_found', 'model_not_accessible'],
  },
  describe({ caller, params, exchange, deps }) {
    const name = params['model_id'] ?? ''
    exchange.model = name
    const found = retrieveModel(name, caller, deps.catalog(), deps.now())
    Object.assign(exchange.headers, deprecationHeaders(found))
    return describeModel(found)
  },
})
