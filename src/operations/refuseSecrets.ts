import { GatewayError, refuse } from '../core/error.ts'
import { withoutInvisible } from '../core/invisible.ts'
import { isJsonObject } from '../core/json.ts'
import { VEILED_LENGTH_MIN } from '../core/veil.ts'
import type { Operations } from './operations.ts'

/**
 * Operations that take no text with a secret of the configuration: names and notes are shown, logged and kept. They throw
 * `invalid_request`, which names the field and does not repeat it.
 *
 * @param secrets asked for again at each change: the configuration may have changed
 */
export function refusingSecrets(operations: Operations, secrets: () => readonly string[]): Operations {
  function checked(body: unknown): unknown {
    if (!isJsonObject(body)) return body
    const hidden = secrets()
      .map(comparable)
      .filter(({ length }) => length >= VEILED_LENGTH_MIN)
    for (const param of ['name', 'note'] as const) {
      const value = body[param]
      if (typeof value !== 'string') continue
      const text = comparable(value)
      if (hidden.some((secret) => text.includes(secret))) throw new GatewayError(refusal(param))
    }
    return body
  }

  return {
    ...operations,
    createWorkspace: async (body, act) => operations.createWorkspace(checked(body), act),
    updateWorkspace: async (id, body, act) => operations.updateWorkspace(id, checked(body), act),
    createKey: async (id, body, act) => operations.createKey(id, checked(body), act),
    updateKey: async (id, body, act) => operations.updateKey(id, checked(body), act),
    createAdminToken: async (body, act) => operations.createAdminToken(checked(body), act),
    credit: async (id, body, act) => operations.credit(id, checked(body), act),
  }
}

/** Some write a token in capitals, or with blanks in between. */
function comparable(text: string): string {
  return withoutInvisible(text).replaceAll(/\s/g, '').toLowerCase()
}

function refusal(param: string) {
  const message = `${param}: must not hold a token or a provider's key of the configuration.`
  return refuse('invalid_request', message, { param })
}
