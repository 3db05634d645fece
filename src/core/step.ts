/**
 * A synchronous state machine over a stream: feed it one input, collect the outputs it completes.
 * Waiting, back-pressure and aborts live in `pipeline/relay`, never here.
 */
export interface Step<Input, Output> {
  /** Takes one input and returns what it completed, in order. */
  push(input: Input): Output[]
  /** The input is over: returns what was still held back, in order. */
  end(): Output[]
}
