import { type Json, type JsonObject, isJsonObject } from '../core/json.ts'

/** The most choices that a request can ask for, as in OpenAI's API. */
export const CHOICES_MAX = 128

/** Why an answer in a format that has one choice is refused if several were asked for. */
export const ONE_OF_SEVERAL = 'one choice where several were asked for'

/** A choice of an answer, or what one frame of it says of that choice. */
export interface AskedChoice {
  readonly index: number
  readonly choice: JsonObject
}

/**
 * Of an answer's choices, or of those in one frame, the ones that were asked for: whatever has another
 * index, or one that came before in the same list, is dropped unread, and so is what is no object.
 * Nothing of it is relayed, counted or waited for. Choices without an index have that of their place.
 *
 * @param asked how many were asked for; undefined: as many as come
 */
export function askedChoices(choices: readonly Json[], asked: number | undefined): readonly AskedChoice[] {
  const end = asked ?? CHOICES_MAX
  const found: AskedChoice[] = []
  for (let place = 0; place < choices.length && found.length < end; place++) {
    const choice = choices[place]
    if (!isJsonObject(choice)) continue
    const index = choice.index ?? place
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= end) continue
    if (!found.some((other) => other.index === index)) found.push({ index, choice })
  }
  return found
}

/** The same of a whole answer, in the order of their index; undefined where there is none, or one is missing between others. */
export function askedInOrder(
  choices: readonly Json[],
  asked: number | undefined,
): readonly AskedChoice[] | undefined {
  const found = askedChoices(choices, asked).toSorted((a, b) => a.index - b.index)
  return found.length > 0 && found.every(({ index }, place) => index === place) ? found : undefined
}
