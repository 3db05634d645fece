import { readdirSync } from 'node:fs'
import { ownFile } from '../../program.ts'

const DOCS = ownFile('docs/')

/** Documents that lie beside `docs/` in the repository, by their name under `/docs/`. */
const ROOT_PAGES: ReadonlyMap<string, string> = new Map([
  ['readme', 'README.md'],
  ['changelog', 'CHANGELOG.md'],
  ['security', 'SECURITY.md'],
  ['architecture', 'ARCHITECTURE.md'],
  ['contributing', 'CONTRIBUTING.md'],
])

/** The guides in the order of reading, under what they are for. A test demands that none is missing. */
export const GUIDE_GROUPS: readonly { readonly title: string; readonly names: readonly string[] }[] = [
  { title: 'Begin', names: ['readme', 'compare', 'start', 'glossary'] },
  {
    title: 'Use the API',
    names: ['api', 'clients', 'errors', 'limits', 'billing', 'routing', 'differences'],
  },
  { title: 'Set up', names: ['configuration', 'providers', 'cli', 'admin-api'] },
  {
    title: 'Operate',
    names: ['deploy', 'operations', 'postgres', 'monitoring', 'troubleshooting', 'security', 'changelog'],
  },
  { title: 'Develop', names: ['architecture', 'contributing', 'benchmark'] },
]

/** A document for people, as it stands in the repository. */
export interface Guide {
  /** Its path under `/docs/`: `billing`, `errors`, `errors/not_found`, `decisions/0001-…`. */
  readonly name: string
  readonly title: string
  readonly markdown: string
}

/** The guide of that name; undefined where there is none. */
export async function readGuide(name: string): Promise<Guide | undefined> {
  const file = files().get(name)
  if (file === undefined) return undefined
  const markdown = await Bun.file(file).text()
  return { name, title: /^# (.+)$/m.exec(markdown)?.[1] ?? name, markdown }
}

/** The path on this server of the document that a link in another one means; undefined for what is not served. */
export function servedPath(href: string, from: Guide): string | undefined {
  const [target = '', anchor] = href.split('#')
  const hash = anchor === undefined ? '' : `#${anchor}`
  if (target === '') return hash
  const file = new URL(target, fileOf(from.name)).href
  for (const [name, served] of files()) if (served.href === file) return `/docs/${name}${hash}`
  return undefined
}

let found: ReadonlyMap<string, URL> | undefined

/** The list is fixed once read, so no path of a caller ever reaches the file system. */
function files(): ReadonlyMap<string, URL> {
  return (found ??= new Map([
    ...readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.md'))
      .sort()
      .map((path): [string, URL] => [path.replace(/(?:\/README)?\.md$/, ''), new URL(path, DOCS)]),
    ...[...ROOT_PAGES].map(([name, path]): [string, URL] => [name, ownFile(path)]),
  ]))
}

function fileOf(name: string): URL {
  const file = files().get(name)
  if (file === undefined) throw new Error(`there is no guide ${name}`)
  return file
}
