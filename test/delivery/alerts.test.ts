import { expect, test } from 'bun:test'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { skipFor } from '../support/runEvents.ts'

const RULES = join(import.meta.dir, '../../deploy/alerts.yaml')
const skips = skipFor(Bun.which('promtool') === null ? 'promtool is not installed' : undefined)

/** Series as promtool writes them, a sample a minute: `0x9` is ten zeros, `0 1x4` a zero and five ones. */
interface Case {
  readonly name: string
  readonly series: Readonly<Record<string, string>>
  readonly alert: string
  /** Minutes after the first sample. */
  readonly at: number
  /** The labels of the alerts that fire then, beside `severity`. */
  readonly fires: readonly Readonly<Record<string, string>>[]
}

const READY = 'tollgate_ready{instance="a"}'
const DRAINING = 'tollgate_draining{instance="a"}'
const BLOCKS = 'tollgate_blocks{instance="a",provider="acme",what="circuit",for="everyone"}'

const CASES: readonly Case[] = [
  {
    name: 'a process whose database is away is an alert',
    series: { [READY]: '1x4 0x10', [DRAINING]: '0x15' },
    alert: 'TollgateNotReady',
    at: 8,
    fires: [{ instance: 'a' }],
  },
  {
    name: 'a process that drains is not an alert',
    series: { [READY]: '1x4 0x10', [DRAINING]: '0x4 1x10' },
    alert: 'TollgateNotReady',
    at: 8,
    fires: [],
  },
  {
    name: 'the first call that the gateway itself ends is seen',
    series: {
      'tollgate_settlements_total{instance="a",ending="gateway_failed",usage="estimated"}': '0x4 1x10',
    },
    alert: 'TollgateGatewayBreaksOff',
    at: 8,
    fires: [{ instance: 'a' }],
  },
  {
    name: 'a circuit that closes for a trial every few minutes stays a block',
    series: { [BLOCKS]: '1 1 1 1 _ 1 1 1 1 _ 1 1 1 1 _ 1 1 1 1 _' },
    alert: 'TollgateProviderBlocked',
    at: 16,
    fires: [{ instance: 'a', provider: 'acme', what: 'circuit' }],
  },
  {
    name: 'the first unknown word of a provider is seen',
    series: { 'tollgate_unknown_finish_words_total{instance="a",provider="acme",word="paused"}': '_x4 1x10' },
    alert: 'TollgateUnknownFinishWord',
    at: 8,
    fires: [{ provider: 'acme', word: 'paused' }],
  },
]

test.skipIf(skips).each(CASES)('$name', async ({ series, alert, at, fires }) => {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-alerts-'))
  try {
    const file = join(folder, 'test.yaml')
    const { labels: ownLabels, annotations } = await ruleOf(alert)
    const exp_alerts = fires.map((labels) => ({
      exp_labels: { ...labels, ...ownLabels },
      exp_annotations: { summary: filledIn(annotations.summary, labels) },
    }))
    const input_series = Object.entries(series).map(([name, values]) => ({ series: name, values }))
    await writeFile(
      file,
      JSON.stringify({
        rule_files: [RULES],
        evaluation_interval: '1m',
        tests: [
          {
            interval: '1m',
            input_series,
            alert_rule_test: [{ eval_time: `${at}m`, alertname: alert, exp_alerts }],
          },
        ],
      }),
    )
    const { stdout, stderr } = Bun.spawnSync(['promtool', 'test', 'rules', file])
    expect(stdout.toString() + stderr.toString()).toContain('SUCCESS')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

interface Rule {
  readonly alert: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: { readonly summary: string }
}

async function ruleOf(alert: string): Promise<Rule> {
  const { groups } = parse(await readFile(RULES, 'utf8')) as { groups: readonly { rules: readonly Rule[] }[] }
  const rule = groups.flatMap(({ rules }) => rules).find((one) => one.alert === alert)
  if (!rule) throw new Error(`there is no rule ${alert}`)
  return rule
}

function filledIn(summary: string, labels: Readonly<Record<string, string>>): string {
  return summary.replaceAll(/\{\{ \$labels\.(\w+) \}\}/g, (_, name: string) => labels[name] ?? '')
}
