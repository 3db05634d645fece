/**
 * What a promise is rejected with; throws when it is not. The runner's own `rejects` waits for it in an
 * event loop within the event loop, where timeouts do not fire and a test may hang for ever.
 */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  let value: unknown
  try {
    value = await promise
  } catch (error) {
    return error
  }
  throw new Error(`not rejected: ${String(value)}`)
}
