import { RecentMap } from '../../core/recent.ts'

/** Readers come by few addresses. Each has a copy of a large text. */
const ADDRESSES_MAX = 8
/** A `Host` header may contain anything: so often one more address replaces another. */
const REPLACED_EVERY_MS = 1_000

/** A text as it is sent. */
export interface Written {
  readonly text: string
  readonly etag: string
}

/**
 * Writes a text once for each address by which readers come. While other addresses come too fast, they get the text for no
 * address, which is kept too: no reader can make the gateway write again and again.
 * @param write gets the base URL of samples; undefined: none is known
 * @param now in milliseconds
 */
export function createByAddress(
  write: (address: string | undefined) => Promise<string>,
  { hash, now }: { readonly hash: (text: string) => string; readonly now: () => number },
): (address: string | undefined) => Promise<Written> {
  const kept = new RecentMap<string, Promise<Written>>(ADDRESSES_MAX)
  let unaddressed: Promise<Written> | undefined
  let replacedAt = -Infinity

  async function written(address: string | undefined): Promise<Written> {
    const text = await write(address)
    return { text, etag: `"${hash(text).slice(0, 32)}"` }
  }

  return (address) => {
    const before = address === undefined ? undefined : kept.get(address)
    if (address !== undefined && before !== undefined) {
      // What is read stays.
      kept.set(address, before)
      return before
    }
    const isFull = kept.size >= ADDRESSES_MAX
    if (address === undefined || (isFull && Math.abs(now() - replacedAt) < REPLACED_EVERY_MS))
      return (unaddressed ??= written(undefined))
    if (isFull) replacedAt = now()
    const made = written(address)
    kept.set(address, made)
    return made
  }
}
