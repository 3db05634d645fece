import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { mistakesOfChangelog, sectionsOf } from '../../scripts/release/changelog.ts'
import { withContact } from '../../scripts/release/publication.ts'
import packageFile from '../../package.json'
import lockfile from '../../package-lock.json'
import answers from '../../src/http/docs/answerExamples.json'
import { version } from '../../src/program.ts'
import { readPage } from './page.ts'

const CHANGELOG = readPage('CHANGELOG.md')
/** A version of Tollgate in a page: "Tollgate 1.0.0", "from before 1.0.0-rc.1", "version 1.0.0". */
const NAMED = /(?:Tollgate|before|version|from|since|until) `?v?(\d+\.\d+\.\d+(?:-[\w.-]*\w)?)/g
/** What clones called themselves before there was a version. */
const CLONES = '0.1.0'

test('the changelog has versions that fall, each once and with its day, below what is unreleased', () => {
  expect(mistakesOfChangelog(CHANGELOG.text, version)).toEqual([])
})

test('the version of package.json is everywhere that one is needed', () => {
  const chart = parse(readPage('deploy/helm/tollgate/Chart.yaml').text)
  expect({
    'package.json': packageFile.version,
    'package-lock.json': lockfile.version,
    'package-lock.json, packages': lockfile.packages[''].version,
    'deploy/helm/tollgate/Chart.yaml, version': chart.version,
    'deploy/helm/tollgate/Chart.yaml, appVersion': chart.appVersion,
    'src/http/docs/answerExamples.json (bin/bun run scripts/updateAnswerExamples.ts)':
      answers.healthz.answer.version,
  }).toEqual({
    'package.json': version,
    'package-lock.json': version,
    'package-lock.json, packages': version,
    'deploy/helm/tollgate/Chart.yaml, version': version,
    'deploy/helm/tollgate/Chart.yaml, appVersion': version,
    'src/http/docs/answerExamples.json (bin/bun run scripts/updateAnswerExamples.ts)': version,
  })
})

test('a page names only versions that the changelog has', () => {
  const root = join(import.meta.dir, '../..')
  const pages = [
    'README.md',
    'SECURITY.md',
    'docs/deploy.md',
    'docs/operations.md',
    ...readdirSync(join(root, 'docs/decisions')).map((file) => `docs/decisions/${file}`),
  ]
  const known = new Set(sectionsOf(CHANGELOG.text).map((section) => section.version))
  const named = pages.flatMap((path) =>
    Array.from(readPage(path).text.matchAll(NAMED), ([, name = '']) => `${path}: ${name}`),
  )
  expect(named).toContain('docs/deploy.md: 1.0.0-rc.1')
  expect(named.filter((one) => !known.has(one.split(': ')[1]) && !one.endsWith(`: ${CLONES}`))).toEqual([])
})

test('SECURITY.md has a place for the contact of a release', () => {
  const contact = withContact(readPage('SECURITY.md').text, {
    repository: undefined,
    securityContact: 'mailto:security@example.com',
  })
  expect(contact).toContain('**Contact for this release: <security@example.com>**')
})
