import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { copyCheckout, examplesOf, follow, mustSkipExamples, runIn } from './examples.ts'
import { readPage } from './page.ts'

const ROOT = join(import.meta.dir, '../..')
const EXAMPLES = examplesOf(readPage('CONTRIBUTING.md').text)
/** Of the commands, those that write files; `contributing.test.ts` runs all. */
const WRITES_FILES = /scripts\/update/
/** What the examples write and `npm run check` reads. */
const TOUCHED = [
  ...new Set(EXAMPLES.flatMap(({ steps }) => steps.flatMap((step) => ('path' in step ? [step.path] : [])))),
]
  .filter((path) => /\.(ts|json)$/.test(path))
  .join(' ')
/** But for those that follow the examples and paste the blocks of the other documents. */
const DOCUMENT_TESTS = readdirSync(import.meta.dir)
  .filter((name) => name.endsWith('.test.ts') && !/^(?:contributing|forgotten|samples)/.test(name))
  .map((name) => `test/documents/${name}`)
  .join(' ')
/** The compiler reads everything: ten seconds on a machine that has nothing else to do. */
const CHECK_LIMIT_MS = 3 * TEST_LIMIT_MS

describe.skipIf(mustSkipExamples(ROOT, EXAMPLES))(
  'the examples of CONTRIBUTING.md, all of them followed in a copy of the checkout,',
  () => {
    let copy = ''
    beforeAll(async () => {
      copy = await mkdtemp(join(tmpdir(), 'tollgate-contributing-'))
      await copyCheckout(ROOT, copy)
      const steps = EXAMPLES.flatMap((example) => example.steps)
      for (const step of steps) if (step.kind !== 'command') await follow(step, copy)
      const commands = steps.flatMap((step) => (step.kind === 'command' ? step.command : []))
      for (const command of new Set(commands.filter((command) => WRITES_FILES.test(command)))) {
        await follow({ kind: 'command', command, output: [] }, copy)
      }
    }, TEST_LIMIT_MS)
    afterAll(() => rm(copy, { recursive: true, force: true }), TEST_LIMIT_MS)

    test.concurrent.each([
      ['mistake of types', 'npm run check:types'],
      ['warning', `node_modules/.bin/oxlint --type-aware --deny-warnings ${TOUCHED}`],
      ['line to format', `node_modules/.bin/oxfmt --check ${TOUCHED}`],
      ['dead code', 'npm run check:dead'],
      ['broken rule', 'npm run check:house'],
      ['stale document', `bin/bun test ${DOCUMENT_TESTS} src/http/docs`],
    ])(
      'leave no %s',
      async (_what, command) => {
        const { code, output } = await runIn(copy, command)
        expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' })
      },
      CHECK_LIMIT_MS,
    )
  },
)
