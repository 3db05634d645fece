import { StoreUnavailable } from '../core/ports/till.ts'

/** What a proof says is said to everybody who asks within this time: who asks often causes no more writes. */
const SHARED_MS = 2_000
/** How long a proof may take. With the time that an older one is shared, the truth is known within five seconds. */
const PROOF_WAIT_MAX_MS = 2_000

/**
 * Proves that the store works, once for all who ask within two seconds.
 * @param prove rejects when it does not
 * @param onResult hears what each proof has found; undefined: it works
 */
export function createSharedProof(
  prove: () => Promise<void>,
  onResult: (fault: StoreUnavailable | undefined) => void,
): () => Promise<void> {
  let proof: Promise<void> | undefined
  let provedAt = Number.NEGATIVE_INFINITY

  async function proveNow(): Promise<void> {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(TOO_LATE), PROOF_WAIT_MAX_MS)
    try {
      await Promise.race([prove(), late.promise])
      onResult(undefined)
    } catch (error) {
      onResult(error instanceof StoreUnavailable ? error : new StoreUnavailable(String(error)))
    } finally {
      clearTimeout(timer)
    }
  }

  return async () => {
    if (!proof && performance.now() - provedAt >= SHARED_MS) {
      proof = proveNow().finally(() => {
        provedAt = performance.now()
        proof = undefined
      })
    }
    await proof
  }
}

const TOO_LATE = new StoreUnavailable(`no commit within ${PROOF_WAIT_MAX_MS} ms`)
