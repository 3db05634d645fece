import { expect, test } from 'bun:test'
import { parse } from 'yaml'
import { ZERO, nano } from '../../src/core/money.ts'
import { createMetrics } from '../../src/observe/metrics.ts'
import { IDLE } from '../support/idleGauges.ts'
import { ENDINGS } from './endings.ts'
import { asCodes, differences, readPage } from './page.ts'
import { findAll, sourceFiles } from './source.ts'

const PAGE = readPage('docs/monitoring.md')

/** Of labels whose series begin with their first event: the values that the code can give them; undefined: not known here. */
const VALUES: Readonly<Record<string, readonly string[] | undefined>> = {
  path: undefined,
  status: undefined,
  ending: ENDINGS,
  usage: ['reported', 'estimated'],
  provider: undefined,
  word: undefined,
  step: [...findAll(sourceFiles('store/postgres/*.ts'), /openLane\('(\w+)'/g)].toSorted(),
}

interface Metric {
  readonly name: string
  readonly help: string
  readonly type: string
  /** With the values that have a series. */
  readonly labels: ReadonlyMap<string, ReadonlySet<string>>
}

/** What a process shows to Prometheus once everything has happened. */
async function metricsOf(): Promise<readonly Metric[]> {
  const blocks = (['circuit', 'target', 'credential'] as const).flatMap((what) =>
    ['everyone', 'ws_1'].map((scope) => ({ provider: 'acme', what, scope })),
  )
  const metrics = createMetrics({ ...IDLE, blocks: () => blocks })
  for (const block of blocks) metrics.blocked(block)
  metrics.answered('/v1/models', 200)
  metrics.settled('completed', 1n, false)
  metrics.writtenOff('prompt', 1n)
  metrics.outputExceeded('acme', 1)
  metrics.unknownFinish('acme', 'weird')
  metrics.store.group('admit', 1)
  metrics.store.settledAgain(1, nano(1n))
  metrics.store.settledAgain(1, ZERO)
  const { body } = await metrics.render()
  return [...body.matchAll(/^# HELP (\w+) (.*)\n# TYPE \w+ (\w+)\n((?:\w.*\n)*)/gm)].map(
    ([, name = '', help = '', type = '', samples = '']) => ({ name, help, type, labels: labelsOf(samples) }),
  )
}

function labelsOf(samples: string): Map<string, Set<string>> {
  const labels = new Map<string, Set<string>>()
  for (const [, label = '', value = ''] of samples.matchAll(/(\w+)="([^"]*)"/g)) {
    if (label === 'le') continue
    labels.set(label, (labels.get(label) ?? new Set()).add(value))
  }
  return labels
}

const metrics = await metricsOf()

test('docs/monitoring.md lists every metric with its type, its labels and its help text', () => {
  const facts = metrics.map(({ name, type, labels, help }) => ({
    key: [`\`${name}\``],
    cells: [type, labels.size === 0 ? 'none' : asCodes(labels.keys()), help],
  }))
  expect(differences(PAGE, 'Metrics', facts)).toEqual([])
})

test('docs/monitoring.md lists every label with its values', () => {
  const facts = metrics.flatMap(({ name, labels }) =>
    Array.from(labels, ([label, seen]) => {
      const values = label in VALUES ? VALUES[label] : seen
      return { key: [`\`${name}\``, `\`${label}\``], cells: [values && asCodes(values)] }
    }),
  )
  expect(differences(PAGE, 'Labels', facts)).toEqual([])
})

test('every metric that a document names exists', () => {
  const series = new Set(
    metrics.flatMap(({ name, type }) =>
      type === 'histogram' ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  )
  const wrong: string[] = []
  for (const path of [
    'docs/monitoring.md',
    'docs/operations.md',
    'docs/postgres.md',
    'docs/billing.md',
    'docs/admin-api.md',
    'deploy/grafana.json',
    'deploy/alerts.yaml',
  ]) {
    for (const [name] of readPage(path).text.matchAll(
      /\btollgate_\w+?(?:_total|_bytes|_seconds\w*|_calls|_connections)\b/g,
    ))
      if (!series.has(name)) wrong.push(`${path} names ${name}, which is no metric`)
  }
  expect(wrong).toEqual([])
})

test('the alert rules are YAML that Prometheus reads, with a severity and a summary each', () => {
  const blocks = [...PAGE.text.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, yaml = '']) => parse(yaml))
  const { groups } = blocks.find((block) => 'groups' in block)
  for (const rule of groups[0].rules) {
    expect(Object.keys(rule).toSorted().join()).toMatch(/^alert,annotations,expr,(?:for,)?labels$/)
    expect([
      rule.alert,
      rule.labels.severity,
      typeof rule.annotations.summary,
      rule.expr.split('(').length,
    ]).toEqual([
      rule.alert,
      expect.stringMatching(/^(?:page|ticket)$/),
      'string',
      rule.expr.split(')').length,
    ])
  }
})
