import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestPlan } from './testProcess.ts'

/** A file that hangs while it is imported cannot list its tests. */
const LIST_TIMEOUT_MS = 20_000
/** The name of no test. */
const NO_NAME = '^\\b$'
const TEST_CASE = /<testcase name="([^"]*)"[^>]*? line="(\d+)"/g

/** The tests of a file in their order, as `"name" (line 12)`, without running them; undefined when they are unknown. */
export function listTests(
  { root, environment, folder }: Pick<TestPlan, 'root' | 'environment' | 'folder'>,
  file: string,
): string[] | undefined {
  const path = join(folder, 'list.xml')
  Bun.spawnSync(
    [
      process.execPath,
      'test',
      '--reporter=junit',
      `--reporter-outfile=${path}`,
      '-t',
      NO_NAME,
      join(root, file),
    ],
    { cwd: root, env: { ...environment }, timeout: LIST_TIMEOUT_MS, stdout: 'ignore', stderr: 'ignore' },
  )
  if (!existsSync(path)) return undefined
  const cases = readFileSync(path, 'utf8').matchAll(TEST_CASE)
  return Array.from(cases, ([, name = '', line]) => `"${unescapeXml(name)}" (line ${line})`)
}

function unescapeXml(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&')
}
