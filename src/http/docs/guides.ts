import { readdirSync } from 'node:fs'
import { ownFile } from '../../program.ts'
import { firstSentence, plainText } from './plainText.ts'

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

/** What each of them is for, in one line: on its page, in the list of guides and in `/llms.txt`. */
export const DESCRIPTIONS: ReadonlyMap<string, string> = new Map([
  ['readme', 'What Tollgate is, how to start it, and where everything is.'],
  ['compare', 'When another gateway does your job better, and how others compare by guarantee.'],
  ['start', 'From nothing to a team with keys and budgets, in half an hour.'],
  ['glossary', 'The words of these guides: workspace, hold, target, receipt and the others.'],
  ['api', 'How an application calls the gateway: formats, streams, tools, endpoints and headers.'],
  ['clients', 'Base URL and key for OpenAI and Anthropic SDKs, coding agents and frameworks.'],
  ['errors', 'Every error code, whether a retry helps, and a page for each.'],
  ['limits', 'Every limit of requests, sizes and times, and the setting that changes it.'],
  ['billing', 'When a call costs money, how the amount is calculated, and what is free.'],
  ['routing', 'Which provider gets a call, and what happens when that provider fails.'],
  ['differences', 'What each wire format cannot say, and what the gateway does about it.'],
  ['configuration', 'Every setting of tollgate.yaml, its type and its default.'],
  ['providers', 'The known providers and models, with addresses, keys and quirks.'],
  ['cli', 'Every command of tollgate, its options and its output.'],
  ['admin-api', 'Manage workspaces, keys, money and receipts by HTTP.'],
  ['deploy', 'Run the gateway on a server: a service, TLS, backups, Postgres, containers.'],
  ['operations', 'Stops and restarts, backups, upgrades, health and outages of the database.'],
  ['postgres', 'Share one Postgres among many processes: connections, poolers, failover.'],
  ['monitoring', 'Every metric, rules to alert on, and every line of the log.'],
  ['troubleshooting', 'From a symptom to its cause, and to the command that helps.'],
  ['security', 'Report a vulnerability, and what protects keys, money and data.'],
  ['changelog', 'What each version brings, and what to do when you upgrade.'],
  ['architecture', 'How the code is organised, and how a request passes through it.'],
  ['contributing', 'Set up a clone, run the tests, and add a provider, an endpoint or an error.'],
  ['benchmark', 'CPU, memory and latency of the gateway, and how they are measured.'],
])

/** A document for people, as it is in the repository. */
export interface Guide {
  /** Its path under `/docs/`: `billing`, `errors`, `errors/not_found`, `decisions/0001-…`. */
  readonly name: string
  readonly title: string
  /** Plain text, one line. */
  readonly description: string
  readonly markdown: string
}

/** The guide of that name; undefined where there is none. */
export async function readGuide(name: string): Promise<Guide | undefined> {
  const file = files().get(name)
  if (file === undefined) return undefined
  const markdown = await Bun.file(file).text()
  const title = plainText(/^# (.+)$/m.exec(markdown)?.[1] ?? name)
  return { name, title, description: DESCRIPTIONS.get(name) ?? firstSentence(markdown) ?? title, markdown }
}

/** The name of every document that is served: guides, errors, decisions. */
export function guideNames(): string[] {
  return [...files().keys()]
}

/** The path on this server of the document that a link in another one means; undefined for what is not served. */
export function servedPath(href: string, from: Guide): string | undefined {
  const [target = '', anchor] = href.split('#')
  if (target === '' || target.startsWith('/')) return href
  const hash = anchor === undefined ? '' : `#${anchor}`
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
