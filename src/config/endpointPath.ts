import { quotedName } from './values.ts'

/** What the wire formats add to an address by themselves. */
const ENDPOINT =
  /(?:(?:\/chat)?\/completions|\/messages|\/responses|\/embeddings|(?:\/models?\/[^/]+)?:(?:stream)?generateContent|\/model\/[^/]+\/converse(?:-stream)?)\/*$/i

/** The path of a call that an address ends in, though it must not: `/chat/completions`. Undefined: none. */
export function endpointPathOf(address: string): string | undefined {
  return ENDPOINT.exec(address)?.[0]
}

/** @param written the address as the file has it, with its references: what they stand for is not shown */
export function endpointMistake(path: string, written: string): string {
  const kept = written.endsWith(path) ? written.slice(0, -path.length) : ''
  const advice = kept === '' ? 'leave it off' : `write ${quotedName(kept)}`
  return `must not end in ${quotedName(path)}, which is added for each call: ${advice}`
}
