/** How long a provider may take, in milliseconds; each is a key of `timeouts` in the configuration. */
export interface ProviderTimeouts {
  /** From the call until it is connected (DNS and TLS included). */
  readonly connectMs: number
  /** From the request being sent until the first byte of a streamed answer, its head included. */
  readonly firstByteMs: number
  /** From the request being sent until the first event of a streamed answer. */
  readonly firstEventMs: number
  /** In a streamed answer: nothing at all arrives. */
  readonly idleMs: number
  /** In a streamed answer: bytes arrive (comments, blank lines, pings), but no event. */
  readonly quietMs: number
  /** From the request being sent until the end of an answer that is asked whole. */
  readonly wholeMs: number
  /** From the request being sent until the end of any answer, without the time in which its reader pauses it. */
  readonly totalMs: number
}

export const TIMEOUT_DEFAULTS: ProviderTimeouts = {
  connectMs: 5_000,
  firstByteMs: 60_000,
  firstEventMs: 5 * 60_000,
  idleMs: 60_000,
  quietMs: 5 * 60_000,
  wholeMs: 10 * 60_000,
  totalMs: 60 * 60_000,
}

/** First byte, first event and silence of a model that works out of sight: it reasons, or a small machine reads the prompt. */
export const PATIENCE_MS = 10 * 60_000

/** The timeouts of one provider. */
export interface TimeoutsInForce {
  readonly usual: ProviderTimeouts
  /** While the model may reason out of sight. */
  readonly patient: ProviderTimeouts
}

/**
 * What holds where the configuration says no more than this.
 *
 * @param local a server on a machine of the operator's, which may read a prompt for minutes
 */
export function timeoutsInForce(written: Partial<ProviderTimeouts>, local = false): TimeoutsInForce {
  // A file that names the first event alone waits as long for the first byte as it did before there were two.
  const given = {
    ...(written.firstEventMs !== undefined && { firstByteMs: written.firstEventMs }),
    ...written,
  }
  const patience = { firstByteMs: PATIENCE_MS, firstEventMs: PATIENCE_MS, idleMs: PATIENCE_MS }
  const patient = { ...TIMEOUT_DEFAULTS, ...patience, ...given }
  return { usual: local ? patient : { ...TIMEOUT_DEFAULTS, ...given }, patient }
}
