/** A request as it will be sent; the body is needed because some signatures cover it. */
export interface UnsignedRequest {
  readonly method: 'GET' | 'POST'
  readonly url: URL
  /** Lowercase names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}
