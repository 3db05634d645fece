import { GatewayError, refuse } from '../core/error.ts'
import { OutcomeUnknown } from '../core/ports/till.ts'
import type { Operations } from './operations.ts'
import type { Act } from './act.ts'

const RETRY_AFTER_SECONDS = 1

/**
 * The operations, with a sentence for those that a repetition would do twice: where the database does not say what became of
 * one, its caller is not told to try again, but how to find out. Changes that may be repeated need none.
 */
export function sayInDoubt(operations: Operations): Operations {
  return {
    ...operations,
    createWorkspace: (body, act) =>
      orInDoubt(
        operations.createWorkspace(body, act),
        'the workspace may have been created',
        'workspaces',
        act,
      ),
    createKey: (workspaceId, body, act) =>
      orInDoubt(operations.createKey(workspaceId, body, act), 'the key may have been created', 'keys', act),
    rotateKey: (id, body, act) =>
      orInDoubt(operations.rotateKey(id, body, act), 'the key may have been rotated', 'keys', act),
    credit: (workspaceId, body, act) =>
      orInDoubt(operations.credit(workspaceId, body, act), 'the credit may have been booked', 'ledger', act),
  }
}

/** @param where what shows whether it was done */
async function orInDoubt<View>(
  change: Promise<View>,
  mayBe: string,
  where: 'workspaces' | 'keys' | 'ledger',
  act: Act | undefined,
): Promise<View> {
  try {
    return await change
  } catch (error) {
    if (!(error instanceof OutcomeUnknown)) throw error
    const doubt = `The database did not confirm the change: ${mayBe}.`
    const refusal =
      act?.idempotencyKey === undefined
        ? // No `Retry-After`: whoever follows it blindly may do it twice.
          refuse('service_unavailable', `${doubt} Look at the ${where} before you repeat it.`)
        : refuse(
            'service_unavailable',
            `${doubt} Repeat the request with the same Idempotency-Key: nothing is done twice.`,
            { retryAfterSeconds: RETRY_AFTER_SECONDS },
          )
    throw new GatewayError(refusal, { cause: error })
  }
}
