import type { RoutingPreferences } from '../../core/traits.ts'
import { type Refusal, refuse } from '../../core/error.ts'
import { formatUsd } from '../../core/money.ts'
import { priceAt, unitPricesFor } from '../../core/price.ts'
import { printableStart } from '../../core/printable.ts'
import { type PromptSize, promptTokensOn } from '../../core/promptSize.ts'
import type { Route } from '../../upstream/route.ts'

export type RoutesVerdict =
  | { readonly ok: true; readonly routes: readonly Route[] }
  | { readonly ok: false; readonly refusal: Refusal }

/** What preferences are held against. */
export interface Choices {
  /** Every provider name of the configuration. */
  readonly providers: ReadonlySet<string>
  /** Milliseconds since the epoch: decides the price in force. */
  readonly at: number
  /** Decides the price's tier; asked for only under `max_price`. */
  readonly promptSize: PromptSize
}

/**
 * Leaves the routes that the caller's preferences allow; their order is the router's to decide. A
 * preference that names an unknown provider, or leaves nothing, is refused by its own name.
 */
export function applyPreferences(
  routes: readonly Route[],
  preferences: RoutingPreferences,
  choices: Choices,
): RoutesVerdict {
  const { order, only, ignore, allowFallbacks, maxPrice } = preferences
  const unknown =
    firstUnknown('order', order, choices) ??
    firstUnknown('only', only, choices) ??
    firstUnknown('ignore', ignore, choices)
  if (unknown) return { ok: false, refusal: unknown }

  let left = routes
  if (only) {
    left = left.filter(({ provider }) => only.includes(provider.name))
    if (left.length === 0) return nothingLeft('provider.only', 'names no provider that serves this model')
  }
  if (ignore) {
    left = left.filter(({ provider }) => !ignore.includes(provider.name))
    if (left.length === 0) return nothingLeft('provider.ignore', 'leaves no provider that serves this model')
  }
  if (order && allowFallbacks === false) {
    left = left.filter(({ provider }) => order.includes(provider.name))
    if (left.length === 0) {
      return nothingLeft(
        'provider.order',
        'names no provider that serves this model, and `provider.allow_fallbacks` is false',
      )
    }
  }
  if (maxPrice) {
    const affordable = left.filter((route) => isWithin(route, maxPrice, choices))
    if (affordable.length === 0)
      return nothingLeft('provider.max_price', `is below every price: ${cheapest(left, choices)}`)
    left = affordable
  }
  return { ok: true, routes: left }
}

function firstUnknown(
  field: 'order' | 'only' | 'ignore',
  names: readonly string[] | undefined,
  { providers }: Choices,
): Refusal | undefined {
  const position = names?.findIndex((name) => !providers.has(name)) ?? -1
  const name = names?.[position]
  if (name === undefined) return undefined
  const param = `provider.${field}[${position}]`
  const message = `\`${param}\` names no provider of this gateway: "${printableStart(name)}".`
  return refuse('invalid_request', message, { param })
}

function nothingLeft(param: string, problem: string): RoutesVerdict {
  return { ok: false, refusal: refuse('invalid_request', `\`${param}\` ${problem}.`, { param }) }
}

function isWithin(
  route: Route,
  { input, output }: NonNullable<RoutingPreferences['maxPrice']>,
  choices: Choices,
): boolean {
  const prices = pricesOf(route, choices)
  return (input === undefined || prices.input <= input) && (output === undefined || prices.output <= output)
}

function pricesOf({ model }: Route, { at, promptSize }: Choices) {
  return unitPricesFor(priceAt(model.prices, at), promptTokensOn(promptSize, model))
}

/** The lowest prices there are, in words. */
function cheapest(routes: readonly Route[], choices: Choices): string {
  const prices = routes.map((route) => pricesOf(route, choices))
  const least = prices.reduce((a, b) => (b.input + b.output < a.input + a.output ? b : a))
  return `the lowest is $${formatUsd(least.input)} for input and $${formatUsd(least.output)} for output per 1M tokens`
}
