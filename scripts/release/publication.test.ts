import { describe, expect, test } from 'bun:test'
import { nextSteps } from './nextSteps.ts'
import { packageFields, readPublication, withContact } from './publication.ts'

const UNKNOWN = readPublication('', '')
const SECURITY = '# Security\n\n<!-- security contact: here -->\n\nTo whom.\n'

test('unknown addresses leave no field, no line and no gap', () => {
  expect(packageFields(UNKNOWN)).toEqual({})
  expect(withContact(SECURITY, UNKNOWN)).toBe('# Security\n\nTo whom.\n')
})

test('a repository gives the fields of package.json, and a list of issues where its host is known', () => {
  expect(packageFields(readPublication('https://github.com/example/tollgate.git', ''))).toEqual({
    homepage: 'https://github.com/example/tollgate#readme',
    repository: { type: 'git', url: 'git+https://github.com/example/tollgate.git' },
    bugs: { url: 'https://github.com/example/tollgate/issues' },
  })
  expect(packageFields(readPublication('https://git.example.com/tollgate/', ''))).toEqual({
    homepage: 'https://git.example.com/tollgate#readme',
    repository: { type: 'git', url: 'git+https://git.example.com/tollgate.git' },
  })
})

test.each([
  ['security@example.com', 'security@example.com'],
  ['mailto:security@example.com', 'security@example.com'],
  ['https://example.com/report', 'https://example.com/report'],
])('the contact %s is written into SECURITY.md', (given, shown) => {
  expect(withContact(SECURITY, readPublication('', given))).toBe(
    `# Security\n\n**Contact for this release: <${shown}>**\n\nTo whom.\n`,
  )
})

test('a SECURITY.md without a place for the contact is a mistake', () => {
  expect(() => withContact('# Security\n', UNKNOWN)).toThrow('no line for the security contact')
})

describe('refused:', () => {
  test.each([
    'git@github.com:example/tollgate',
    'http://example.com/a',
    'https://user:pass@example.com/a',
    'x',
  ])('the repository %s', (repository) => {
    expect(() => readPublication(repository, '')).toThrow('the repository must be an address')
  })
  test.each(['security', 'http://example.com', 'a@b', 'two@example.com three'])(
    'the contact %s',
    (contact) => {
      expect(() => readPublication('', contact)).toThrow('the security contact must be')
    },
  )
})

describe('the commands that are printed', () => {
  const release = {
    version: '1.0.0-rc.1',
    commit: 'abc',
    folder: 'dist/release',
    files: ['tollgate-1.0.0-rc.1.tgz', 'SHA256SUMS'],
  }

  test('sign, push and upload to the repository that is given', () => {
    const steps = nextSteps({
      ...release,
      publication: readPublication('https://github.com/example/tollgate', ''),
    })
    expect(steps.split('\n').filter((line) => !line.startsWith('#'))).toEqual([
      'bash .ci/run',
      'git tag -s v1.0.0-rc.1 -F dist/release/TAG.txt abc',
      'gpg --armor --detach-sign dist/release/SHA256SUMS',
      'git push https://github.com/example/tollgate.git v1.0.0-rc.1',
      'gh release create v1.0.0-rc.1 --repo example/tollgate --verify-tag --prerelease --notes-file dist/release/TAG.txt dist/release/tollgate-1.0.0-rc.1.tgz dist/release/SHA256SUMS dist/release/SHA256SUMS.asc',
      'npm publish ./dist/release/tollgate-1.0.0-rc.1.tgz --tag next',
    ])
  })

  test('name the files to upload where no repository is given, and no tag of npm for a final version', () => {
    const steps = nextSteps({ ...release, version: '1.0.0', publication: UNKNOWN })
    expect(steps).toContain('git push YOUR-COPY-OF-THE-REPOSITORY v1.0.0\n')
    expect(steps).toContain('#   dist/release/SHA256SUMS.asc\n')
    expect(steps).not.toContain('gh release')
    expect(steps).toEndWith('.tgz')
  })
})
