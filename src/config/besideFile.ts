import { dirname, isAbsolute, join } from 'node:path'

/**
 * A path that the configuration file names is meant from the file's folder: who starts the gateway from another folder
 * must not find another database there. Without a file it is meant from the current folder.
 */
export function besideFile(path: string, file: string | undefined): string {
  const folder = file === undefined ? '.' : dirname(file)
  return folder === '.' || isAbsolute(path) ? path : join(folder, path)
}
