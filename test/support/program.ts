import { join, resolve } from 'node:path'

/** Names the one file that `npm run build` makes, for tests that start the command. */
export const BINARY_VARIABLE = 'TOLLGATE_BINARY'

const binary = process.env[BINARY_VARIABLE]

/** The command that tests start: the one file where `TOLLGATE_BINARY` names it, else the script beside the sources. */
export const PROGRAM: string =
  binary === undefined ? join(import.meta.dir, '../../bin/tollgate') : resolve(binary)
