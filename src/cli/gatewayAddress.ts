import { printableStart } from '../core/printable.ts'
import { UsageError } from './usageError.ts'

/** The address of a gateway from `--url`, without a slash at its end. Throws `UsageError`. */
export function gatewayAddress(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) {
    throw new UsageError(`--url must be an http or https address, not "${printableStart(url)}"`)
  }
  return `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}`
}
