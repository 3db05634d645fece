declare const nanoBrand: unique symbol

/** An amount of money in nano-dollars (10⁻⁹ USD). Amounts are whole: docs/billing.md#how-the-amount-is-calculated. */
export type Nano = bigint & { readonly [nanoBrand]: 'Nano' }

const NANO_PER_USD = 1_000_000_000n
const FRACTION_DIGITS = 9
/** The largest amount that the store's signed 64-bit integers hold: about 9.2 billion US dollars. */
export const NANO_MAX = 9_223_372_036_854_775_807n as Nano

/** Names a plain integer as nano-dollars. */
export function nano(value: bigint): Nano {
  return value as Nano
}

export const ZERO: Nano = nano(0n)

/**
 * Reads a decimal amount in US dollars ("12", "0.000000001", "-3.5").
 * Undefined when it is no decimal number, is finer than a nano-dollar, or is beyond NANO_MAX.
 */
export function parseUsd(text: string): Nano | undefined {
  const match = /^(-?)(\d{1,10})(?:\.(\d{1,9}))?$/.exec(text)
  if (!match) return undefined
  const [, sign, whole = '0', fraction = ''] = match
  const amount = BigInt(whole) * NANO_PER_USD + BigInt(fraction.padEnd(FRACTION_DIGITS, '0'))
  if (amount > NANO_MAX) return undefined
  return nano(sign ? -amount : amount)
}

/** Writes an amount as a decimal string in US dollars, with at least two decimals and no needless ones. */
export function formatUsd(amount: Nano): string {
  const magnitude: bigint = amount < 0n ? 0n - amount : amount
  const fraction = (magnitude % NANO_PER_USD).toString().padStart(FRACTION_DIGITS, '0')
  const shown = fraction.slice(0, 2) + fraction.slice(2).replace(/0+$/, '')
  return `${amount < 0n ? '-' : ''}${magnitude / NANO_PER_USD}.${shown}`
}

export function minNano(a: Nano, b: Nano): Nano {
  return a < b ? a : b
}

export function maxNano(a: Nano, b: Nano): Nano {
  return a > b ? a : b
}

export function addNano(a: Nano, b: Nano): Nano {
  return nano(a + b)
}

export function subtractNano(a: Nano, b: Nano): Nano {
  return nano(a - b)
}
