import type { RoutingPreferences } from '../../core/traits.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { type Nano, parseUsd } from '../../core/money.ts'
import { InvalidField, checkList, checkBoolean, checkName, checkObject } from '../check.ts'
import { isAbsent, isEmpty } from '../requestReader.ts'

/** Entries of `models`, `provider.order`, `provider.only` and `provider.ignore`. */
export const ROUTING_NAMES_MAX = 32

type Draft = { -readonly [Field in keyof RoutingPreferences]: RoutingPreferences[Field] }

/** Reads the gateway's own request fields `models` and `provider`; undefined when neither is there. */
export function decodeRouting(body: JsonObject): RoutingPreferences | undefined {
  const { models, provider } = body
  const draft: Draft = {}
  if (isFilled(models)) draft.models = readNames(models, 'models')
  if (isAbsent(provider)) return draft.models && draft
  const {
    order,
    only,
    ignore,
    allow_fallbacks: fallbacks,
    sort,
    max_price: price,
  } = checkObject(provider, 'provider')
  if (isEmpty(provider as object)) return draft.models && draft
  if (isFilled(order)) draft.order = readProviders(order, 'provider.order')
  if (isFilled(only)) draft.only = readProviders(only, 'provider.only')
  if (isFilled(ignore)) draft.ignore = readProviders(ignore, 'provider.ignore')
  if (!isAbsent(fallbacks)) draft.allowFallbacks = checkBoolean(fallbacks, 'provider.allow_fallbacks')
  if (!isAbsent(sort)) draft.sort = readSort(sort)
  if (!isAbsent(price)) draft.maxPrice = readMaxPrice(price)
  return draft
}

/** An empty list says nothing. */
function isFilled(value: Json | undefined): value is Json {
  return !isAbsent(value) && !(Array.isArray(value) && value.length === 0)
}

function readNames(value: Json, param: string): readonly string[] {
  const names = checkList(value, param)
  if (names.length > ROUTING_NAMES_MAX) {
    throw new InvalidField(param, `must have at most ${ROUTING_NAMES_MAX} entries`)
  }
  return names.map((name, i) => checkName(name, `${param}[${i}]`))
}

/** Providers have names in lower case: a caller may write them as their owners do. */
function readProviders(value: Json, param: string): readonly string[] {
  return readNames(value, param).map((name) => name.toLowerCase())
}

function readSort(value: Json): 'price' | 'throughput' | 'latency' {
  if (value === 'price' || value === 'throughput' || value === 'latency') return value
  throw new InvalidField('provider.sort', 'must be one of `price`, `throughput`, `latency`')
}

function readMaxPrice(value: Json): { input?: Nano; output?: Nano } {
  const { prompt, completion } = checkObject(value, 'provider.max_price')
  return {
    ...(!isAbsent(prompt) && { input: readPrice(prompt, 'provider.max_price.prompt') }),
    ...(!isAbsent(completion) && { output: readPrice(completion, 'provider.max_price.completion') }),
  }
}

/** US dollars per 1,000,000 tokens, as a number or a decimal string. */
function readPrice(value: Json, param: string): Nano {
  const text = typeof value === 'number' ? value.toFixed(9) : value
  const price = typeof text === 'string' ? parseUsd(text) : undefined
  if (price === undefined || price < 0n) {
    throw new InvalidField(param, 'must be a price in US dollars per 1,000,000 tokens, 0 or more')
  }
  return price
}
