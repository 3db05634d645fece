/** The values of OpenAI's interface. A provider's own word for a tier means nothing to a caller. */
const SERVICE_TIERS = new Set(['auto', 'default', 'flex', 'priority', 'scale'])

/** The tier that served an answer, if the interface has a word for it. */
export function readServiceTier(value: unknown): string | undefined {
  return typeof value === 'string' && SERVICE_TIERS.has(value) ? value : undefined
}
