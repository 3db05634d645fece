const WORDS: Readonly<Record<string, string>> = {
  EISDIR: 'is a folder, not a file',
  EACCES: 'cannot be read: this user is not allowed to',
  EPERM: 'cannot be read: this user is not allowed to',
}

/** Why a file cannot be read, in plain words where the system's code is known. */
export function fileMistake(error: unknown): string {
  if (!(error instanceof Error)) return `cannot be read: ${String(error)}`
  const code = 'code' in error ? String(error.code) : ''
  return WORDS[code] ?? `cannot be read: ${error.message}`
}
