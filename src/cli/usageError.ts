/** The command line itself is at fault: exit code 2, with the way to help. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The command failed for a reason that is no bug: exit code 1, its message and nothing else. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure'
}
