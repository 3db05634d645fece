import { closeSync, openSync } from 'node:fs'
import { devNull } from 'node:os'

/** How the system says that this process, or the whole machine, may open no more files. */
const NO_MORE = new Set(['EMFILE', 'ENFILE'])

/**
 * Whether this process can open no more files, and so no connections. The runtime reports such a connection as refused by
 * the other side, so it is tried out.
 */
export function isOutOfFiles(): boolean {
  try {
    closeSync(openSync(devNull, 'r'))
    return false
  } catch (cause) {
    return cause instanceof Error && 'code' in cause && NO_MORE.has(String(cause.code))
  }
}
