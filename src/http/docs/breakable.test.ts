import { expect, test } from 'bun:test'
import { breakableCode, withBreakableCode } from './breakable.ts'

test('a name may break behind a slash, and not behind a hyphen', () => {
  expect(breakableCode('acme/chat-1')).toBe('acme/<wbr><span class="whole">chat-1</span>')
  expect(breakableCode('/v1/models')).toBe('/v1/<wbr>models')
  expect(breakableCode('key list')).toBe('key list')
})

test('a name that is wider than a phone may break behind the marks between its parts', () => {
  const broken = breakableCode('tollgate_upstream_failures_total{kind=&quot;credential&quot;}')
  expect(broken.split('<wbr>')).toEqual([
    'tollgate_',
    'upstream_',
    'failures_',
    'total{',
    'kind=',
    '&quot;',
    'credential&quot;',
    '}',
  ])
})

test('blocks of code stay as they are', () => {
  const block = '<pre><code>curl -X POST https://a.example/v1/models</code></pre>'
  expect(withBreakableCode(`${block}<code>a/b</code>`)).toBe(`${block}<code>a/<wbr>b</code>`)
})
