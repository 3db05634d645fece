import { GatewayError, refuse } from '../core/error.ts'

const SHOWN_LENGTH_MAX = 80

/** The refusal of an id that names nothing. */
export function unknownId(what: 'workspace' | 'key' | 'request', id: string): GatewayError {
  const shown = id.length > SHOWN_LENGTH_MAX ? `${id.slice(0, SHOWN_LENGTH_MAX)}…` : id
  return new GatewayError(refuse('not_found', `There is no ${what} "${shown}".`))
}
