/** A variable of the environment that is empty is not set. */
export function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text
}
