import type { JsonObject } from '../../src/core/json.ts'

/** What only the publisher of a release knows. */
export interface Publication {
  /** The address of the repository, without `.git`: `https://github.com/example/tollgate`. */
  readonly repository: string | undefined
  /** Who gets reports of vulnerabilities, as an address: `mailto:…` or `https://…`. */
  readonly securityContact: string | undefined
}

/** Where hosts list what was reported, below a repository. Other hosts: unknown. */
const ISSUE_LISTS: Readonly<Record<string, string>> = {
  'codeberg.org': '/issues',
  'github.com': '/issues',
  'gitlab.com': '/-/issues',
}
/** The line of SECURITY.md in whose place the contact is written. */
const CONTACT_LINE = /^<!-- security contact: .* -->\n\n?/m

/** @throws Error that says what is wrong with an address */
export function readPublication(repository: string, securityContact: string): Publication {
  return {
    repository: repository === '' ? undefined : repositoryOf(repository),
    securityContact: securityContact === '' ? undefined : contactOf(securityContact),
  }
}

function repositoryOf(text: string): string {
  const url = URL.parse(text)
  if (url?.protocol !== 'https:' || url.username !== '' || url.search !== '' || url.hash !== '')
    throw new Error(`the repository must be an address such as https://github.com/example/tollgate: ${text}`)
  return url.href.replace(/\/$/, '').replace(/\.git$/, '')
}

function contactOf(text: string): string {
  if (/^(?:mailto:)?[^\s@:/]+@[^\s@:/]+\.[^\s@:/]+$/.test(text))
    return `mailto:${text.replace(/^mailto:/, '')}`
  if (URL.parse(text)?.protocol === 'https:') return text
  throw new Error(`the security contact must be an e-mail address or begin with https:// : ${text}`)
}

/** The fields of `package.json` that say where the project lives; none where that is unknown. */
export function packageFields({ repository }: Publication): JsonObject {
  if (repository === undefined) return {}
  const issues = issuesOf(repository)
  return {
    homepage: `${repository}#readme`,
    repository: { type: 'git', url: `git+${repository}.git` },
    ...(issues === undefined ? {} : { bugs: { url: issues } }),
  }
}

export function issuesOf(repository: string): string | undefined {
  const path = ISSUE_LISTS[new URL(repository).host]
  return path === undefined ? undefined : repository + path
}

/**
 * SECURITY.md of a release: with the contact, or without the line for it.
 * @throws Error where the text has no such line
 */
export function withContact(security: string, { securityContact }: Publication): string {
  if (!CONTACT_LINE.test(security)) throw new Error('SECURITY.md has no line for the security contact')
  const contact =
    securityContact === undefined
      ? ''
      : `**Contact for this release: <${securityContact.replace(/^mailto:/, '')}>**\n\n`
  return security.replace(CONTACT_LINE, () => contact)
}
