import { relative } from 'node:path'
import { DEFAULT_CONFIG_PATH } from '../config/loadSettings.ts'
import type { ConfigFlags } from '../config/overrides.ts'
import { shellWord } from '../core/printable.ts'
import type { DemoKey } from './firstStart.ts'

export interface BannerFacts {
  readonly version: string
  readonly url: string
  /** How the `tollgate` command is called from here. */
  readonly command: string
  /** The flags that name the database of this process to other commands. */
  readonly flags?: Pick<ConfigFlags, 'config' | 'databaseUrl'>
  /** The configuration file in force; undefined: none. */
  readonly file: string | undefined
  /** The database, without user and password. */
  readonly data: string
  /** Ids of the models that are served. */
  readonly models: readonly string[]
  readonly demoKey: DemoKey | undefined
  readonly hasWorkspaces: boolean
  /** Nothing opens the admin API: no token of the configuration, and none with a name. */
  readonly adminClosed: boolean
}

/** How a program is called from a folder: by the short path where it lies below it, else by the whole one. */
export function commandFrom(folder: string, path: string): string {
  const below = relative(folder, path)
  if (below.startsWith('..')) return path
  return below.includes('/') ? below : `./${below}`
}

/** Its first line. */
export function listening({ version, url }: Pick<BannerFacts, 'version' | 'url'>): string {
  return `Tollgate ${version} listens on ${url}\n`
}

/** What `tollgate serve` prints once it listens. */
export function banner(facts: BannerFacts): string {
  const lines = [
    listening(facts),
    `  Prices    ${facts.url}/`,
    `  API docs  ${facts.url}/docs`,
    `  Data      ${facts.data}`,
    `  Models    ${facts.models.length} (configuration: ${facts.file ?? 'built-in; write a tollgate.yaml to change it'})`,
    ...(facts.adminClosed
      ? [`  Admin     no token yet; create one: ${facts.command} token create NAME${flagsOf(facts)}`]
      : []),
    '',
  ]
  if (facts.demoKey) lines.push(...demoLines(facts, facts.demoKey))
  else lines.push(...keyLines(facts))
  return `${lines.join('\n')}\n`
}

function demoLines({ url }: BannerFacts, { secret, balanceUsd, model }: DemoKey): string[] {
  return [
    `Your demo key, with a balance of $${balanceUsd} for the demo's models. It is shown this once:`,
    '',
    `  ${secret}`,
    '',
    'Make a request:',
    '',
    curl(url, secret, { model, messages: [{ role: 'user', content: 'Say hello' }] }),
    '',
    'The same as a stream:',
    '',
    curl(url, secret, { model, stream: true, messages: [{ role: 'user', content: 'Say hello' }] }),
    '',
  ]
}

/**
 * As they were given; without a password, because it is shown. A file that a variable of this process names is named by a
 * flag: the shell that the command is pasted into may not have the variable, and would open another database.
 */
function flagsOf({ file, flags: { config, databaseUrl } = {} }: BannerFacts): string {
  const url = databaseUrl?.includes('@') ? 'URL' : databaseUrl
  const named = config ?? (file === DEFAULT_CONFIG_PATH ? undefined : file)
  const given = { '--config': named, '--database-url': url }
  return Object.entries(given)
    .map(([flag, value]) => (value === undefined ? '' : ` ${flag} ${shellWord(value)}`))
    .join('')
}

function keyLines(facts: BannerFacts): string[] {
  const { hasWorkspaces, command } = facts
  const flags = flagsOf(facts)
  return hasWorkspaces
    ? [`New key:  ${command} workspace list${flags}, then ${command} key create WORKSPACE NAME${flags}`, '']
    : [
        'There is no workspace yet. Create one, give it credit and a key:',
        '',
        `  ${command} workspace create NAME${flags}`,
        `  ${command} credit add WORKSPACE 10.00${flags}`,
        `  ${command} key create WORKSPACE NAME${flags}`,
        '',
      ]
}

function curl(url: string, secret: string, body: object): string {
  const noBuffer = 'stream' in body ? 'curl -N' : 'curl'
  return `  ${noBuffer} ${url}/v1/chat/completions -H 'Authorization: Bearer ${secret}' -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`
}
