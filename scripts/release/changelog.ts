/** A part of the changelog, from one heading of the second level to the next. */
export interface ChangelogSection {
  /** As in `package.json`; undefined: *Unreleased*. */
  readonly version: string | undefined
  /** A day in UTC (`2026-11-29`); undefined: *Unreleased*. */
  readonly date: string | undefined
  /** What is below the heading, trimmed. */
  readonly text: string
}

const UNRELEASED = 'Unreleased'
const DATED = /^(\S+) \((\S+)\)$/
/** https://semver.org, without build metadata: npm drops it. */
export const VERSION = /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}(?:-[\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*)?$/

/** The sections in the order of the file. A heading of another shape has itself as version, and no date. */
export function sectionsOf(changelog: string): ChangelogSection[] {
  return changelog
    .split(/^## /m)
    .slice(1)
    .map((part) => {
      const end = part.indexOf('\n')
      const heading = (end < 0 ? part : part.slice(0, end)).trim()
      const text = end < 0 ? '' : part.slice(end).trim()
      if (heading === UNRELEASED) return { version: undefined, date: undefined, text }
      const [, version = heading, date] = DATED.exec(heading) ?? []
      return { version, date, text }
    })
}

/**
 * What is wrong with the order and the headings of a changelog, as sentences.
 * @param version that of `package.json`
 */
export function mistakesOfChangelog(changelog: string, version: string): string[] {
  const sections = sectionsOf(changelog)
  const dated = sections.filter((section) => section.version !== undefined)
  const mistakes: string[] = []
  if (sections[0]?.version !== undefined || sections.length - dated.length !== 1)
    mistakes.push(`there must be one section "${UNRELEASED}", above all others`)
  for (const [index, { version: name = '', date }] of dated.entries()) {
    if (!VERSION.test(name) || date === undefined) {
      mistakes.push(`"${name}" must be a version and its day, such as "1.0.0 (2026-11-29)"`)
      continue
    }
    if (!isDay(date)) mistakes.push(`${name}: ${date} is not a day`)
    const above = dated[index - 1]
    if (above?.version === undefined || above.date === undefined || !VERSION.test(above.version)) continue
    if (Bun.semver.order(above.version, name) !== 1)
      mistakes.push(`${above.version} is above ${name}, but is not newer`)
    if (above.date < date) mistakes.push(`${above.version} is above ${name}, but is of an earlier day`)
  }
  const newest = dated[0]?.version
  if (newest !== undefined && VERSION.test(newest) && Bun.semver.order(version, newest) === -1)
    mistakes.push(`package.json has ${version}, which is older than ${newest}`)
  return mistakes
}

/**
 * The text of a version's tag: its title, and its section up to the first heading.
 * @throws Error where the changelog has no such version
 */
export function tagText(changelog: string, version: string): string {
  const section = sectionsOf(changelog).find((one) => one.version === version)
  if (section === undefined) throw new Error(`the changelog has no ${version}`)
  const [summary = ''] = section.text.split(/^#/m)
  // Git removes lines that begin with "#"; links would lead nowhere.
  const text = summary.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').trim()
  return [`Tollgate ${version}`, text, 'What changed is in CHANGELOG.md.'].filter(Boolean).join('\n\n') + '\n'
}

function isDay(date: string): boolean {
  const time = Date.parse(date)
  return !Number.isNaN(time) && new Date(time).toISOString().slice(0, 10) === date
}
