import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { shownFiles, withDeployFiles } from '../../scripts/deployFiles.ts'
import { serverSchema } from '../../src/config/schema.ts'
import { expectCurrent } from '../support/generated.ts'
import { readPage } from './page.ts'

const DEPLOY = join(import.meta.dir, '../../deploy')
const PAGE = readPage('docs/deploy.md')
const DRAIN_SECONDS = serverSchema.parse({}).drain / 1_000
/** The database of the compose file has no calls to wait for. */
const POSTGRES_STOP_SECONDS = 60

test('docs/deploy.md shows the files of deploy/ as they are', () => {
  expect(shownFiles(PAGE.text).length).toBeGreaterThan(4)
  expectCurrent(PAGE.path, PAGE.text, withDeployFiles(PAGE.text), 'scripts/updateDeployFiles.ts')
})

/** Where a supervisor is told how long a stop may take, in seconds. */
const STOP_TIMES: readonly [file: string, pattern: RegExp][] = [
  ['tollgate.service', /^TimeoutStopSec=(\d+)$/m],
  ['compose.yaml', /^ {4}stop_grace_period: (\d+)s$/m],
]

test.each(STOP_TIMES)('%s gives a drain its whole time, and half a minute more', (file, pattern) => {
  const seconds = Number(pattern.exec(readFileSync(join(DEPLOY, file), 'utf8'))?.[1])
  expect(seconds).toBe(DRAIN_SECONDS + 30)
})

test('a stop time of a page is the same', () => {
  const texts = ['docs/deploy.md', 'docs/operations.md', 'CHANGELOG.md'].map((path) => readPage(path).text)
  const times = texts.flatMap((text) =>
    Array.from(
      text.matchAll(
        /(?:TimeoutStopSec=|stop_grace_period: |--stop-timeout |stop -t |GracePeriodSeconds: )(\d+)/g,
      ),
      ([, seconds]) => Number(seconds),
    ),
  )
  expect(times.length).toBeGreaterThan(5)
  expect(new Set(times.filter((seconds) => seconds !== POSTGRES_STOP_SECONDS))).toEqual(
    new Set([DRAIN_SECONDS + 30]),
  )
})

test('every file of deploy/ is shown by the page or is explained in the README of the folder', () => {
  const shown = shownFiles(PAGE.text).map((file) => file.replace('deploy/', ''))
  const files = readdirSync(DEPLOY).filter((file) => file !== 'README.md')
  const readme = readFileSync(join(DEPLOY, 'README.md'), 'utf8')
  expect(files.filter((file) => !readme.includes(`(${file}`))).toEqual([])
  expect(shown.filter((file) => !files.includes(file.split('/')[0] ?? file))).toEqual([])
})
