import { expect, test } from 'bun:test'
import { withProviderTable } from '../../scripts/providerTable.ts'
import { expectCurrent } from '../support/generated.ts'
import { loadSettings } from '../../src/config/loadSettings.ts'
import { formatProblems } from '../../src/config/problem.ts'
import { readPage } from './page.ts'

/** Every variable is set, but those that overrule the file. */
const env = new Proxy<Record<string, string>>(
  {},
  {
    get: (_, name) =>
      typeof name === 'string' && !/^TOLLGATE_(HOST|PORT|DATABASE_URL)$/.test(name)
        ? `value-of-${name}-0123456789`
        : undefined,
  },
)

function documented(yaml: string): string {
  const readFile = (path: string) =>
    path === 'example' ? yaml : '{"client_email":"a@b","private_key":"pem"}'
  const result = loadSettings({ flags: {}, env, path: 'example', readFile })
  // Most examples show one part of a file; a whole one names its models.
  if (!result.ok) return formatProblems(result.problems.filter(({ path, line }) => path !== 'models' || line))
  return formatProblems(result.warnings)
}

test('the example configuration loads without a problem or a warning, with no variable set', () => {
  const { path, text } = readPage('tollgate.example.yaml')
  const result = loadSettings({ flags: {}, env: {}, path, readFile: () => text })
  expect(result.ok ? formatProblems(result.warnings) : formatProblems(result.problems)).toBe('')
  expect(result.ok && result.settings.providers.has('demo')).toBe(true)
})

test.each(['docs/configuration.md', 'docs/providers.md', 'docs/routing.md'])(
  'every configuration shown in %s loads',
  (name) => {
    const examples = [...readPage(name).text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => yaml)
    expect(examples.length).toBeGreaterThan(0)
    for (const example of examples)
      expect({ name, example, problems: documented(example) }).toEqual({ name, example, problems: '' })
  },
)

test('the tables of docs/providers.md are current', () => {
  const { path, text } = readPage('docs/providers.md')
  expectCurrent(path, text, withProviderTable(text), 'scripts/updateProviderTable.ts')
})
