import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mistakesOfProgram, mistakesOfRelease } from './checks.ts'
import { outputOf } from './commands.ts'

const VERSION = '2.3.4'
const TODAY = '2026-11-29'
const CHANGELOG = `# Changelog\n\n## Unreleased\n\n## ${VERSION} (${TODAY})\n\nA summary.\n`

const folders: string[] = []
let root: string

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'tollgate-release-'))
  folders.push(root)
  await mkdir(join(root, '.ci'))
  await write('.ci/run', '')
  await write('CHANGELOG.md', CHANGELOG)
  await write('package.json', JSON.stringify({ version: VERSION }))
  await write(
    'package-lock.json',
    JSON.stringify({ version: VERSION, packages: { '': { version: VERSION } } }),
  )
  git('init', '--quiet')
  commit()
})
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true })
})

function write(path: string, text: string): Promise<void> {
  return writeFile(join(root, path), text)
}

function git(...words: string[]): void {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false']
  outputOf(root, 'git', ...identity, ...words)
}

function commit(): void {
  git('add', '--all')
  git('commit', '--quiet', '--message', 'Change')
}

function mistakes(version = VERSION, today = TODAY): string[] {
  return mistakesOfRelease({ root, version, today })
}

test('a clean commit with its version, its changelog of today and no tag can be released', () => {
  expect(mistakes()).toEqual([])
})

describe('it cannot be released', () => {
  test('with a change or a file that is not committed', async () => {
    await write('new.txt', '')
    expect(mistakes()).toEqual(['there are changes that are not committed:\n?? new.txt'])
  })

  test('when there is a tag of that version', () => {
    git('tag', `v${VERSION}`)
    expect(mistakes()).toEqual([`there is a tag v${VERSION} already`])
  })

  test('without the script of the proof', async () => {
    await rm(join(root, '.ci'), { recursive: true })
    commit()
    expect(mistakes()).toEqual(['this commit cannot be proven: it has no .ci/run'])
  })

  test('on another day than that of the changelog', () => {
    expect(mistakes(VERSION, '2026-11-30')).toEqual([
      `CHANGELOG.md: ${VERSION} is of ${TODAY}, and today is 2026-11-30`,
    ])
  })

  test('as a version that the files do not have', () => {
    expect(mistakes('2.3.5')).toEqual([
      'package.json and package-lock.json do not have 2.3.5: npm version --no-git-tag-version 2.3.5',
      `CHANGELOG.md has no section "2.3.5 (${TODAY})"`,
    ])
    expect(mistakes('latest')).toEqual(['latest is not a version such as 1.0.0 or 1.0.0-rc.1'])
  })

  test('when the lockfile was forgotten', async () => {
    await write(
      'package-lock.json',
      JSON.stringify({ version: VERSION, packages: { '': { version: '2.3.3' } } }),
    )
    commit()
    expect(mistakes()).toEqual([expect.stringContaining('npm version --no-git-tag-version')])
  })

  test('while something is unreleased, or the version says nothing', async () => {
    await write(
      'CHANGELOG.md',
      CHANGELOG.replace('Unreleased\n', 'Unreleased\n\n- A row.\n').replace('A summary.', ''),
    )
    commit()
    expect(mistakes()).toEqual([
      `CHANGELOG.md says nothing about ${VERSION}`,
      `CHANGELOG.md: move what is unreleased to ${VERSION}`,
    ])
  })
})

test('a program of another version, another commit or changed sources is not released', async () => {
  const program = join(root, 'tollgate')
  const says = async (version: string, of: string): Promise<string[]> => {
    await writeFile(program, `#!/bin/sh\n[ "$1" = version ] && echo 'tollgate ${version} (${of})'\n`, {
      mode: 0o755,
    })
    return mistakesOfProgram(program, VERSION, 'abc')
  }
  expect(await says(VERSION, 'abc')).toEqual([])
  expect(await says('2.3.3', 'abc')).toEqual([
    expect.stringContaining('is tollgate 2.3.3 (abc), and not tollgate 2.3.4 (abc)'),
  ])
  expect(await says(VERSION, 'abc with changes')).toHaveLength(1)
})
