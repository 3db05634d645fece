import { secretMistake, withoutLineEnd } from '../config/secret.ts'
import type { Operations } from '../operations/operations.ts'
import type { Fetch } from './exchange.ts'
import { type Given, explainingNames } from './namedInstead.ts'
import { tokenWarning } from './remoteFetch.ts'
import { createRemoteOperations } from './remoteOperations.ts'
import { tellingUnchanged } from './unchanged.ts'
import { UsageError } from './usageError.ts'

/** What works through the admin API of another installation. */
export interface RemoteWork {
  readonly given: Given
  readonly url: string
  /** As it was given; undefined: it was not. */
  readonly adminToken: string | undefined
  readonly fetch: Fetch
  readonly warn: (warning: string) => void
}

/**
 * Throws `UsageError` without a usable token.
 * @param onDone receives where it was done, and whether that changed anything
 */
export async function withRemoteOperations<Result>(
  { given, url, adminToken, fetch, warn }: RemoteWork,
  work: (operations: Operations) => Promise<Result>,
  onDone: (place: string, changed: boolean) => void,
): Promise<Result> {
  const token = usableToken(adminToken)
  const warning = tokenWarning(url)
  if (warning !== undefined) warn(warning)
  let unchanged = false
  const operations = tellingUnchanged(createRemoteOperations(url, token, fetch), () => (unchanged = true))
  const result = await explainingNames(given, operations, () => work(operations))
  onDone(new URL(url).origin, !unchanged)
  return result
}

function usableToken(given: string | undefined): string {
  if (given === undefined) throw new UsageError('--url needs --admin-token or TOLLGATE_ADMIN_TOKEN')
  const token = withoutLineEnd(given)
  const mistake = secretMistake(token)
  if (mistake !== undefined) throw new UsageError(`the admin token ${mistake}`)
  return token
}
