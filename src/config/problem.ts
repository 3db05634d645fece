import { printableStart } from '../core/printable.ts'
import { quotedName } from './values.ts'

/** Where in the configuration something is: `['models', 2, 'targets', 0, 'provider']`. */
export type ConfigPath = readonly (string | number)[]

/** One mistake in the configuration, for a person to find and mend. Never holds a secret. */
export interface Problem {
  /** Undefined when the mistake is in a flag or in the environment. */
  readonly file: string | undefined
  /** From 1; undefined when the file does not say it anywhere. */
  readonly line: number | undefined
  /** From 1. */
  readonly column: number | undefined
  /** `models[2].targets[0].provider`, `--port` or `TOLLGATE_PORT`; empty for the file as a whole. */
  readonly path: string
  readonly message: string
}

/** One line per problem, as compilers write them: `tollgate.yaml:12:7 models[2].id is missing`. */
export function formatProblems(problems: readonly Problem[]): string {
  return problems.map((problem) => formatProblem(problem)).join('\n')
}

/** The same for what is no mistake: `tollgate.yaml:12:7 warning: server.admin_token is short`. */
export function formatWarnings(warnings: readonly Problem[]): string {
  return warnings.map((warning) => formatProblem(warning, 'warning:')).join('\n')
}

function formatProblem({ file, line, column, path, message }: Problem, weight = ''): string {
  const name = file === undefined ? undefined : printableStart(file)
  const place = [name, line, column].filter((part) => part !== undefined).join(':')
  return [place, weight, path, message].filter((part) => part !== '').join(' ')
}

/** Writes a path as people do: dots between names, brackets around positions and odd names. */
export function formatPath(path: ConfigPath): string {
  let text = ''
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`
    else if (/^[\w-]{1,200}$/.test(part)) text += text === '' ? part : `.${part}`
    else text += `[${quotedName(part)}]`
  }
  return text
}
