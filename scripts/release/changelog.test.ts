import { describe, expect, test } from 'bun:test'
import { mistakesOfChangelog, sectionsOf, tagText } from './changelog.ts'

const GOOD = `# Changelog

For operators.

## Unreleased

## 1.1.0 (2026-12-24)

Faster. See [the guide](docs/start.md).

Safer, too.

### Money

- A row.

## 1.0.0 (2026-12-01)

The first.

## 1.0.0-rc.1 (2026-12-01)
`

test('a changelog is read by its versions and their days', () => {
  expect(sectionsOf(GOOD).map(({ version, date }) => [version, date])).toEqual([
    [undefined, undefined],
    ['1.1.0', '2026-12-24'],
    ['1.0.0', '2026-12-01'],
    ['1.0.0-rc.1', '2026-12-01'],
  ])
  expect(sectionsOf(GOOD).at(2)?.text).toBe('The first.')
})

test('a good changelog has no mistake, before a release and after it', () => {
  expect(mistakesOfChangelog(GOOD, '1.1.0')).toEqual([])
  expect(mistakesOfChangelog(GOOD, '1.2.0-rc.1')).toEqual([])
})

describe('a mistake is named:', () => {
  test.each<[string, string, string, string]>([
    ['no Unreleased', '## Unreleased\n', '', 'one section "Unreleased", above all others'],
    ['two of it', '## 1.0.0 (2026-12-01)', '## Unreleased', 'one section "Unreleased", above all others'],
    ['a version without its day', '1.0.0 (2026-12-01)', '1.0.0', '"1.0.0" must be a version and its day'],
    ['a version that is none', '1.0.0 (', '1.0 (', '"1.0" must be a version and its day'],
    ['a day that does not exist', '2026-12-24', '2026-02-30', '1.1.0: 2026-02-30 is not a day'],
    ['a version twice', '1.1.0 (', '1.0.0 (', '1.0.0 is above 1.0.0, but is not newer'],
    [
      'a candidate above its version',
      '1.1.0 (',
      '1.0.0-rc.2 (',
      '1.0.0-rc.2 is above 1.0.0, but is not newer',
    ],
    [
      'days that rise downwards',
      '2026-12-24',
      '2026-11-30',
      '1.1.0 is above 1.0.0, but is of an earlier day',
    ],
  ])('%s', (_, from, to, mistake) => {
    const changed = GOOD.replace(from, to)
    expect(changed).not.toBe(GOOD)
    expect(mistakesOfChangelog(changed, '1.1.0').join('\n')).toContain(mistake)
  })

  test('a package.json that is behind', () => {
    expect(mistakesOfChangelog(GOOD, '1.1.0-rc.3')).toEqual([
      'package.json has 1.1.0-rc.3, which is older than 1.1.0',
    ])
  })
})

test('the text of a tag is the summary of its version, without links', () => {
  expect(tagText(GOOD, '1.1.0')).toBe(
    'Tollgate 1.1.0\n\nFaster. See the guide.\n\nSafer, too.\n\nWhat changed is in CHANGELOG.md.\n',
  )
  expect(() => tagText(GOOD, '9.9.9')).toThrow('the changelog has no 9.9.9')
})
