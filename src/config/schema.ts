import * as z from 'zod'
import type { RoutingStrategy } from '../core/model.ts'
import { CONNECTIONS } from '../core/ports/store.ts'
import { WIRE_FORMAT_IDS } from '../wire/formats.ts'
import { secret } from './secret.ts'
import {
  choose,
  date,
  decimal,
  duration,
  flag,
  integer,
  label,
  listOf,
  listOfWords,
  modelName,
  oneOf,
  percentage,
  price,
  retention,
  section,
  size,
  text,
  wholePercentage,
} from './values.ts'
import { isTreeMap } from './yamlTree.ts'

// The one schema of tollgate.yaml (docs/configuration.md). Defaults that depend on nothing
// else are here; what a known provider or model already says is filled in by the resolvers.

const STRATEGIES = [
  'priority',
  'weighted',
  'cheapest',
  'fastest',
] as const satisfies readonly RoutingStrategy[]

const MAX_PORT = 65_535
const MAX_TOKENS = 1_000_000_000
const TOKENS_PER_SECOND_MAX = 100_000
const MAX_STOPS = 1_000
const MAX_WEIGHT = 1_000_000

export const serverSchema = section({
  host: text.default('127.0.0.1'),
  port: integer(0, MAX_PORT).default(4100),
  admin_token: secret.optional(),
  metrics_token: secret.optional(),
  metrics_address: text.optional(),
  trusted_proxies: listOf(text).default([]),
  cors_origins: listOf(text).default([]),
  max_body_bytes: size.default(32 * 2 ** 20),
  answers_in_flight: size.default(256 * 2 ** 20),
  bodies_in_flight: section({
    process: size.optional(),
    workspace: size.optional(),
    key: size.optional(),
  }).optional(),
  shutdown_delay: duration.optional(),
  drain: duration.default(5 * 60_000),
})

export const databaseSection = section({
  url: text,
  durability: oneOf(['default', 'strict']).optional(),
  connections: integer(CONNECTIONS.min, CONNECTIONS.max).optional(),
})

export const databaseSchema = choose((value) =>
  isTreeMap(value)
    ? databaseSection
    : text.transform((url) => ({ url, durability: undefined, connections: undefined })),
)

export const logSchema = section({
  level: oneOf(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  prompts: flag.default(false),
})

export const holdsSchema = oneOf(['needed', 'full']).default('needed')

export const responsesSchema = section({
  keep: retention.default(24 * 60 * 60_000),
})

export const quirksSchema = section({
  max_tokens_field: oneOf(['max_tokens', 'max_completion_tokens']).optional(),
  supports_n: flag.optional(),
  drop_fields: listOf(text).optional(),
  drop_message_fields: listOf(text).optional(),
  stream_options: flag.optional(),
  instruction_role: oneOf(['system', 'developer']).optional(),
  send_default_temperature: flag.optional(),
  minimum_temperature: decimal(0, 2).optional(),
  maximum_temperature: decimal(0, 2).optional(),
  minimum_top_p: decimal(0, 1).optional(),
  maximum_stops: integer(1, MAX_STOPS).optional(),
  reasoning_outside_completion: flag.optional(),
  streaming: oneOf(['never', 'without_tools']).optional(),
  stream_lacks: listOfWords(['usage', 'logprobs']).optional(),
  whole_tool_calls: flag.optional(),
  custom_tools: flag.optional(),
  format_or_tools: flag.optional(),
  finish_reasons: z
    .record(z.string(), oneOf(['stop', 'length', 'tool_calls', 'content_filter']), {
      error: 'must be a mapping of words to finish reasons',
    })
    .optional(),
})

const authSchema = choose((value) =>
  isTreeMap(value) && 'sigv4' in value
    ? section({ sigv4: text })
    : isTreeMap(value)
      ? section({ header: text })
      : oneOf(['none', 'bearer', 'google-oauth'], { unquoted: true }),
)

export const providerSchema = section({
  like: text.optional(),
  display_name: label.optional(),
  wire: oneOf(WIRE_FORMAT_IDS).optional(),
  base_url: text.optional(),
  api_key: secret.optional(),
  api_keys: listOf(secret).min(1, { error: 'must not be empty' }).optional(),
  aws: section({
    access_key_id: secret,
    secret_access_key: secret,
    session_token: secret.optional(),
  }).optional(),
  service_account: text.optional(),
  auth: authSchema.optional(),
  headers: z.record(z.string(), text, { error: 'must be a mapping' }).optional(),
  region: text.optional(),
  project: text.optional(),
  location: text.optional(),
  resource: label.optional(),
  deployment: text.optional(),
  api_version: text.optional(),
  timeouts: section({
    connect: duration.optional(),
    first_byte: duration.optional(),
    first_event: duration.optional(),
    idle: duration.optional(),
    quiet: duration.optional(),
    whole: duration.optional(),
    total: duration.optional(),
  }).prefault({}),
  allow_account_names: flag.default(false),
  allow_fields: listOf(text).min(1, { error: 'must not be empty' }).optional(),
  quirks: quirksSchema.optional(),
})

const unitPrices = {
  input: price,
  output: price,
  cached_input: price.optional(),
  cache_write: price.optional(),
  reasoning: price.optional(),
}

export const pricesSchema = section({
  ...unitPrices,
  valid_from: date.optional(),
  tiers: listOf(section({ above_prompt_tokens: integer(1, MAX_TOKENS), ...unitPrices })).optional(),
})

const ourPriceSchema = choose((value) => {
  if (Array.isArray(value))
    return listOf(pricesSchema)
      .min(1, { error: 'must not be empty' })
      .transform((prices) => ({ prices }))
  if (isTreeMap(value) && 'markup' in value)
    return section({ markup: percentage }).transform(({ markup }) => ({ markup }))
  if (isTreeMap(value) && 'discount' in value)
    return section({ discount: wholePercentage }).transform(({ discount }) => ({ markup: -discount }))
  return pricesSchema.transform((only) => ({ prices: [only] }))
})

const officialPriceSchema = choose((value) =>
  isTreeMap(value) ? section({ input: price, output: price, source: label.optional() }) : oneOf(['auto']),
)

export const targetSchema = section({
  provider: text,
  model: text,
  wire: oneOf(WIRE_FORMAT_IDS).optional(),
  weight: decimal(0.000_001, MAX_WEIGHT).default(1),
  priority: integer(-MAX_WEIGHT, MAX_WEIGHT).default(0),
  cost: section({ input: price, output: price }).optional(),
})

export const modelSchema = section({
  id: modelName,
  display_name: label.optional(),
  owned_by: label.optional(),
  category: label.optional(),
  created: date.optional(),
  context_length: integer(1, MAX_TOKENS).optional(),
  max_output_tokens: integer(1, MAX_TOKENS).optional(),
  assumed_output_tokens: integer(1, MAX_TOKENS).optional(),
  assumed_tokens_per_second: integer(1, TOKENS_PER_SECOND_MAX).optional(),
  image_tokens: integer(0, MAX_TOKENS).optional(),
  hidden_reasoning: oneOf(['never', 'on_request', 'by_default', 'always']).optional(),
  capabilities: listOf(label).optional(),
  unsupported_fields: listOf(text).optional(),
  our_price: ourPriceSchema.optional(),
  official_price: officialPriceSchema.optional(),
  targets: listOf(targetSchema).optional(),
  strategy: oneOf(STRATEGIES).default('priority'),
  aliases: listOf(modelName).optional(),
  deprecated: section({ at: date, sunset: date.optional() }).optional(),
  retired: section({ at: date, successor: text.optional() }).optional(),
})

/** The top of the file; each part is read by itself, so that one mistake hides no other. */
export const fileSchema = section({
  server: z.unknown().optional(),
  database: z.unknown().optional(),
  log: z.unknown().optional(),
  holds: z.unknown().optional(),
  responses: z.unknown().optional(),
  providers: z.unknown().optional(),
  models: z.unknown().optional(),
})

export type DatabaseEntry = z.output<typeof databaseSchema>
export type ProviderEntry = z.output<typeof providerSchema>
export type ModelEntry = z.output<typeof modelSchema>
export type TargetEntry = z.output<typeof targetSchema>
export type PricesEntry = z.output<typeof pricesSchema>
