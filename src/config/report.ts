import { formatPath, type ConfigPath, type Problem } from './problem.ts'
import type { Place, Source } from './yamlTree.ts'

/** Collects what is wrong with a configuration, so that one check names every mistake. */
export interface Report {
  problem(path: ConfigPath, message: string): void
  /** A value that could not be read: what else is wrong with it follows from that, and is not reported. */
  unreadable(path: ConfigPath, message: string): void
  /** The same where the mistake is reported already, under another path. */
  unread(path: ConfigPath): void
  /** False where the value could not be read: the value in its place says nothing about the file. */
  isRead(path: ConfigPath): boolean
  /** A mistake in the name of a setting, not in its value. */
  misnamed(path: ConfigPath, message: string): void
  warning(path: ConfigPath, message: string): void
  /** A mistake outside the file: in a flag or a variable. */
  outside(name: string, message: string, weight?: 'problem' | 'warning'): void
  /** Puts `${NAME}` back where a text quotes a value that came from the environment. */
  redact(text: string): string
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
}

/** @param source the file that paths point into; undefined when there is none */
export function createReport(source?: Source): Report {
  const problems: Problem[] = []
  const warnings: Problem[] = []
  const unread = new Set<string>()

  function redact(text: string): string {
    return source === undefined ? text : source.redact(text)
  }

  function locate(path: ConfigPath, message: string, part: 'key' | 'value' = 'value'): Problem {
    const place: Place | undefined = source?.placeOf(path, part)
    return {
      file: source?.file,
      line: place?.line,
      column: place?.column,
      path: formatPath(path),
      message: redact(message),
    }
  }

  return {
    problems,
    warnings,
    problem(path, message) {
      if (!unread.has(formatPath(path))) problems.push(locate(path, message))
    },
    unreadable(path, message) {
      unread.add(formatPath(path))
      problems.push(locate(path, message))
    },
    unread: (path) => void unread.add(formatPath(path)),
    isRead: (path) => !unread.has(formatPath(path)),
    misnamed: (path, message) => void problems.push(locate(path, message, 'key')),
    warning: (path, message) => void warnings.push(locate(path, message)),
    outside(path, message, weight = 'problem') {
      const found = { file: undefined, line: undefined, column: undefined, path, message }
      if (weight === 'problem') problems.push(found)
      else warnings.push(found)
    },
    redact,
  }
}
