import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { VERSION, mistakesOfChangelog, sectionsOf } from './changelog.ts'
import { outputOf } from './commands.ts'
import { objectOf, readObject } from './objects.ts'

/** The release that is asked for. */
export interface Release {
  /** The folder of the repository. */
  readonly root: string
  readonly version: string
  /** The day of the release in UTC, such as `2026-11-29`. */
  readonly today: string
}

export function tagOf(version: string): string {
  return `v${version}`
}

/** Why this commit cannot be released as that version, as sentences that say what to do; none: it can. */
export function mistakesOfRelease({ root, version, today }: Release): string[] {
  if (!VERSION.test(version)) return [`${version} is not a version such as 1.0.0 or 1.0.0-rc.1`]
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  return [
    ...mistakesOfVersions(root, version),
    ...mistakesOfChangelog(changelog, version).map((mistake) => `CHANGELOG.md: ${mistake}`),
    ...mistakesOfSection(changelog, version, today),
    ...mistakesOfRepository(root, version),
  ]
}

function mistakesOfVersions(root: string, version: string): string[] {
  const lock = readObject(root, 'package-lock.json')
  const own = objectOf(objectOf(lock, 'packages'), '')
  const named = [readObject(root, 'package.json')['version'], lock['version'], own['version']]
  if (named.every((name) => name === version)) return []
  return [
    `package.json and package-lock.json do not have ${version}: npm version --no-git-tag-version ${version}`,
  ]
}

function mistakesOfSection(changelog: string, version: string, today: string): string[] {
  const sections = sectionsOf(changelog)
  const section = sections.find((one) => one.version === version)
  if (section === undefined) return [`CHANGELOG.md has no section "${version} (${today})"`]
  const unreleased = sections.find((one) => one.version === undefined)
  return [
    ...(section.date === today
      ? []
      : [`CHANGELOG.md: ${version} is of ${section.date}, and today is ${today}`]),
    ...(section.text === '' ? [`CHANGELOG.md says nothing about ${version}`] : []),
    ...((unreleased?.text ?? '') === '' ? [] : [`CHANGELOG.md: move what is unreleased to ${version}`]),
  ]
}

function mistakesOfRepository(root: string, version: string): string[] {
  const changed = outputOf(root, 'git', 'status', '--porcelain').trimEnd()
  const tag = tagOf(version)
  return [
    ...(changed === '' ? [] : [`there are changes that are not committed:\n${changed}`]),
    ...(outputOf(root, 'git', 'tag', '--list', tag) === '' ? [] : [`there is a tag ${tag} already`]),
    ...(existsSync(join(root, '.ci/run')) ? [] : ['this commit cannot be proven: it has no .ci/run']),
  ]
}

/** Why a built program is not that of this release: what `tollgate version` says of it. */
export function mistakesOfProgram(program: string, version: string, commit: string): string[] {
  const said = outputOf('.', program, 'version').trim()
  const expected = `tollgate ${version} (${commit})`
  return said === expected ? [] : [`${program} says that it is ${said}, and not ${expected}`]
}
