import { readFileSync } from 'node:fs'
import { expect, test } from 'bun:test'
import { parse } from 'yaml'
import { longText, repeatedIn, withLongText } from '../../test/support/longValues.ts'
import { load } from '../../test/support/settings.ts'
import type { Json } from '../core/json.ts'
import { formatProblems } from './problem.ts'

const REPEATED_MAX = 200
const EXAMPLE = new URL('../../tollgate.example.yaml', import.meta.url)

/** Settings that the example has not, each with a value that is taken or nearly so. */
const MORE: Json = {
  server: {
    host: '127.0.0.1',
    port: 1,
    cors_origins: ['https://a.example'],
    trusted_proxies: ['10.0.0.1'],
    metrics_address: '127.0.0.1:9100',
  },
  database: { url: 'postgres://a@b/c' },
  providers: {
    acme: { wire: 'openai-chat', base_url: 'http://127.0.0.1/v1', api_key: 'k', headers: { a: 'b' } },
    other: { like: 'openai', api_keys: ['k'], timeouts: { idle: '1s' }, quirks: { supportsN: true } },
  },
  models: [
    { id: 'a/b', aliases: ['c'], retired: { at: '2020-01-01', successor: 'a/d' }, targets: [] },
    {
      id: 'a/d',
      deprecated: { at: '2020-01-01', sunset: '2030-01-01' },
      targets: [{ provider: 'acme', model: 'm' }],
    },
  ],
}

function excesses(yaml: string): string[] {
  const loaded = load(yaml)
  const found = loaded.ok ? loaded.warnings : loaded.problems
  return found
    .filter((problem) => repeatedIn(formatProblems([problem])) > REPEATED_MAX)
    .map(({ path }) => path)
}

test('no mistake of a configuration repeats more than 200 characters of it, in whatever place they stand', () => {
  const files = [parse(readFileSync(EXAMPLE, 'utf8')) as Json, MORE]
  for (const long of [250, 1_000].map(longText)) {
    for (const file of files)
      for (const changed of withLongText(file, long)) expect(excesses(JSON.stringify(changed))).toEqual([])
    // What only YAML has, and what names a thing twice.
    const odd = [
      `a: *${long}`,
      `a: !${long} b`,
      `a: \${${long}}`,
      `${long}: 1\n${long}: 2`,
      `a: "${long}`,
      `a: b: ${long}`,
      `%${long}`,
      `${long}\n: -`,
      `database: { url: "postgres://a@b/c?${long}=1" }`,
      `models: [{ id: "a/${long}", aliases: ["${long}", "${long}"] }, { id: "a/${long}" }]`,
    ]
    for (const yaml of odd) expect([yaml.slice(0, 20), excesses(yaml)]).toEqual([yaml.slice(0, 20), []])
  }
})

test('a value from the environment is not shown where it is longer than what is repeated', () => {
  const secret = 's3cr3t'.repeat(100)
  const loaded = load('models: [{ id: a/b, retired: { at: 2020-01-01, successor: "${GONE}" } }]', {
    env: { GONE: secret },
  })
  expect(loaded.ok).toBe(false)
  expect(JSON.stringify(loaded).match(/s3cr3t/g)?.length ?? 0).toBeLessThan(2)
})
