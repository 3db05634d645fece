/** An endpoint as it is served; `path` has its parameters in braces. */
export interface ServedEndpoint {
  readonly method: string
  readonly path: string
}

/** Everything that must know an endpoint. */
export interface EndpointFacts {
  readonly served: readonly ServedEndpoint[]
  /** What the OpenAPI document describes. */
  readonly described: readonly ServedEndpoint[]
  /** The page that has a row for each endpoint below a path: `| \`GET /keys/{id}\` | … |`. */
  readonly pages: readonly {
    readonly file: string
    readonly below: string
    /** What the page leaves out at the beginning of each path. */
    readonly without: string
    readonly text: string
  }[]
  /** The text of all journey tests. */
  readonly journeys: string
}

/** What operators can do, and what the command line makes of it. */
export interface OperationFacts {
  /** Names of `Operations`. */
  readonly operations: readonly string[]
  /** The text of all commands. */
  readonly commands: string
  /** Operations without a command, each with the reason. */
  readonly withoutCommand: Readonly<Record<string, string>>
}

/** A sentence for each thing that does not know an endpoint, or knows one that is not served. */
export function endpointViolations({ served, described, pages, journeys }: EndpointFacts): string[] {
  const found: string[] = []
  const has = (list: readonly ServedEndpoint[], { method, path }: ServedEndpoint) =>
    list.some((other) => other.method === method && other.path === path)
  for (const endpoint of served) {
    const { method, path } = endpoint
    const name = `${method} ${path}`
    if (!has(described, endpoint)) {
      found.push(`${name} has no description: add it to src/http/dataPlane/`)
    }
    for (const { file, below, without, text } of pages) {
      const row = `\`${method} ${path.slice(without.length)}\``
      if (path.startsWith(below) && !text.includes(`| ${row} |`)) {
        found.push(`${name} is not in ${file}: add a table row that begins with | ${row} |`)
      }
    }
    if (!calls(journeys, endpoint)) {
      found.push(`${name} is called by no test: add one to test/journey that names '${method}', '${path}'`)
    }
  }
  for (const endpoint of described) {
    if (has(served, endpoint)) continue
    found.push(`${endpoint.method} ${endpoint.path} is described, but not served: remove its description`)
  }
  return found
}

/** A sentence for each operation that the command line lacks, or that is excused without need. */
export function operationViolations({ operations, commands, withoutCommand }: OperationFacts): string[] {
  const used = (name: string) => new RegExp(`\\boperations\\.${name}\\(`).test(commands)
  return [
    ...operations
      .filter((name) => !used(name) && !Object.hasOwn(withoutCommand, name))
      .map((name) => `the operation ${name} has no command: call operations.${name}(…) in src/cli/commands`),
    ...Object.keys(withoutCommand)
      .filter((name) => used(name) || !operations.includes(name))
      .map((name) => `${name} needs no exception: remove it from WITHOUT_COMMAND`),
  ]
}

const ADMIN_PREFIX = '/api/v1/admin'

/** Whether a test calls it: `'GET', '/v1/key'` or `GET /v1/key`; a parameter may be anything without a slash. */
function calls(text: string, { method, path }: ServedEndpoint): boolean {
  const pattern = path
    .replace(ADMIN_PREFIX, '')
    .split(/\{\w+\}/)
    .map((part) => part.replaceAll(/[.*+?^$|()[\]\\]/g, String.raw`\$&`))
    .join('[^/\\s]+?')
  const prefix = path.startsWith(ADMIN_PREFIX) ? `(?:${ADMIN_PREFIX})?` : ''
  return new RegExp(`\\b${method}['"\`]?,?\\s+['"\`]?${prefix}${pattern}(?=['"\`?\\s])`).test(text)
}
