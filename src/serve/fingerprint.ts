import { stat } from 'node:fs/promises'

/** Differs once the file at this path, or the one that it links to, was written, replaced, removed or put back. */
export async function fingerprint(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs } = await stat(path, { bigint: true })
    return [dev, ino, size, mtimeNs].join(' ')
  } catch (error) {
    // Gone, or not to be looked at: that differs from any file, and reading it says what is wrong.
    return error instanceof Error && 'code' in error ? String(error.code) : String(error)
  }
}
