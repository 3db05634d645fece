import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { withProviderTable } from '../../scripts/providerTable.ts'
import { loadSettings } from './loadSettings.ts'
import { formatProblems } from './problem.ts'

const ROOT = join(import.meta.dir, '../..')

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

test('the example configuration loads without a problem or a warning, with no variable set', async () => {
  const path = join(ROOT, 'tollgate.example.yaml')
  const text = await Bun.file(path).text()
  const result = loadSettings({ flags: {}, env: {}, path, readFile: () => text })
  expect(result.ok ? formatProblems(result.warnings) : formatProblems(result.problems)).toBe('')
  expect(result.ok && result.settings.providers.has('demo')).toBe(true)
})

test('every configuration shown in the documentation loads', async () => {
  for (const name of ['docs/configuration.md', 'docs/providers.md']) {
    const page = await Bun.file(join(ROOT, name)).text()
    const examples = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] ?? '')
    expect(examples.length).toBeGreaterThan(3)
    for (const example of examples)
      expect({ name, example, problems: documented(example) }).toEqual({ name, example, problems: '' })
  }
})

test('the table of providers is current', async () => {
  const page = await Bun.file(join(ROOT, 'docs/providers.md')).text()
  expect(withProviderTable(page)).toBe(page)
})
