import { parseUsd, ZERO } from '../core/money.ts'
import type { KnownModel } from './knownModel.ts'

/** The built-in demo provider's one model: made-up prices, so that a first request costs something to see. */
export const demoModel: KnownModel = {
  id: 'demo/chat',
  provider: 'demo',
  upstreamModel: 'chat',
  displayName: 'Demo Chat',
  created: 0,
  contextLength: 128_000,
  maxOutputTokens: 8_192,
  // It counts text alone.
  imageTokens: 0,
  capabilities: ['streaming'],
  aliases: [],
  unsupportedFields: [],
  facts: {},
  officialPrices: [{ input: parseUsd('0.50') ?? ZERO, output: parseUsd('1.50') ?? ZERO }],
}
