import { expect, test } from 'bun:test'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { skipFor } from '../support/runEvents.ts'

const DEPLOY = join(import.meta.dir, '../../deploy')
const skips = skipFor(Bun.which('promtool') === null ? 'promtool is not installed' : undefined)

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[]
}

test.skipIf(skips)('Prometheus takes the alert rules, and every query of the dashboard', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-rules-'))
  try {
    expect(checked(join(DEPLOY, 'alerts.yaml'))).toContain('SUCCESS')
    const dashboard = JSON.parse(await readFile(join(DEPLOY, 'grafana.json'), 'utf8')) as Dashboard
    const rules = dashboard.panels
      .flatMap(({ targets }) => targets)
      .map(({ expr }, i) => ({
        record: `query:${i}`,
        expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*'),
      }))
    expect(rules.length).toBeGreaterThan(14)
    const file = join(folder, 'queries.yaml')
    await writeFile(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
    expect(checked(file)).toContain(`SUCCESS: ${rules.length} rules found`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

/** What promtool says of a file with rules. */
function checked(file: string): string {
  const { stdout, stderr } = Bun.spawnSync(['promtool', 'check', 'rules', file])
  return stdout.toString() + stderr.toString()
}
