/** One message of a streamed body: an SSE event, or a message of an AWS event stream with the same two parts. */
export interface Frame {
  /** The SSE `event` field or the AWS `:event-type` / `:exception-type`; undefined when there is none. */
  readonly event: string | undefined
  /** The payload as text. */
  readonly data: string
}
