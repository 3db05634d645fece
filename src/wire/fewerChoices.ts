import type { WholeAnswer } from '../core/answer/wholeAnswer.ts'
import { UpstreamError, type UpstreamFailure } from '../core/failure.ts'

/** The code of the failure of an answer that has fewer choices than were asked for, of which each is whole. */
export const FEWER_CHOICES = 'fewer_choices'

export function fewerChoices(came: number, asked: number): UpstreamFailure {
  return { kind: 'invalid_answer', code: FEWER_CHOICES, detail: `${came} of ${asked} choices came` }
}

/** A whole answer with fewer choices than were asked for: it becomes an answer by further calls only. */
export class FewerChoices extends UpstreamError {
  readonly response: WholeAnswer

  constructor(response: WholeAnswer, asked: number) {
    super(fewerChoices(response.choices.length, asked))
    this.response = response
  }
}

/** The answer, if it has as many choices as were asked for. Throws `FewerChoices`. */
export function withAllChoices(response: WholeAnswer, asked = 1): WholeAnswer {
  if (response.choices.length < asked) throw new FewerChoices(response, asked)
  return response
}
