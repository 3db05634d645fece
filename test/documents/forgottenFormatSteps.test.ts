import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { copyCheckout, examplesOf, follow, mustSkipExamples, runIn } from './examples.ts'
import { readPage } from './page.ts'

const ROOT = join(import.meta.dir, '../..')
const EXAMPLE = examplesOf(readPage('CONTRIBUTING.md').text).filter(
  ({ name }) => name === 'Add a wire format',
)
const FOLDER = 'src/wire/stratus-chat'
/** What the compiler reads here: the whole project takes it six seconds. */
const FILES = [
  'src/wire/formats.ts',
  'test/support/wireServers/wireServers.ts',
  'test/conversations/spokenBy.ts',
]

describe.skipIf(mustSkipExamples(ROOT, EXAMPLE))('whoever adds a wire format and forgets', () => {
  let copy = ''
  beforeAll(async () => {
    copy = await mkdtemp(join(tmpdir(), 'tollgate-format-'))
    await copyCheckout(ROOT, copy)
    for (const step of EXAMPLE.flatMap(({ steps }) => steps)) {
      if (step.kind !== 'command') await follow(step, copy)
    }
    await Bun.write(
      join(copy, 'planted.json'),
      JSON.stringify({ extends: './tsconfig.json', include: [], files: FILES }),
    )
  }, TEST_LIMIT_MS)
  afterAll(() => rm(copy, { recursive: true, force: true }), TEST_LIMIT_MS)

  /** Runs a command while files of the copy are as they were before the example, or have other text; without text they are gone. */
  async function outputWithout(
    files: Readonly<Record<string, (text: string) => string | undefined>>,
    command: string,
  ): Promise<{ code: number; output: string }> {
    const texts = new Map<string, string>()
    for (const [path, change] of Object.entries(files)) {
      const file = Bun.file(join(copy, path))
      const text = await file.text()
      const changed = change(text)
      texts.set(path, text)
      if (changed === undefined) await file.delete()
      else await Bun.write(file, changed)
    }
    const result = await runIn(copy, command)
    for (const [path, text] of texts) await Bun.write(join(copy, path), text)
    return result
  }

  const gone = (): undefined => undefined
  const withoutLine =
    (part: string) =>
    (text: string): string =>
      text
        .split('\n')
        .filter((line) => !line.includes(part))
        .join('\n')

  test(
    "the display name, the provider's side or the conversations is told by the compiler",
    async () => {
      const { code, output } = await outputWithout(
        {
          [`${FOLDER}/stratusChat.ts`]: withoutLine('displayName'),
          'test/support/wireServers/wireServers.ts': withoutLine("'stratus-chat': stratusServer"),
          'test/conversations/spokenBy.ts': (text) =>
            text.replace(/ {2}'stratus-chat': \{[\s\S]*?\n {2}\},\n/, ''),
        },
        'node_modules/.bin/tsc --noEmit --noUnusedLocals false -p planted.json',
      )
      expect(code).not.toBe(0)
      expect(output).toMatch(/stratusChat\.ts.*Property 'displayName' is missing/)
      expect(output).toMatch(
        /wireServers\.ts.*Property '"stratus-chat"' is missing|wireServers\.ts.*'stratus-chat'/,
      )
      expect(output).toMatch(/spokenBy\.ts.*'"?stratus-chat"?' is missing/)
    },
    TEST_LIMIT_MS,
  )

  test(
    'its line, its laws or a recorded answer is told by the rules about the source',
    async () => {
      const { code, output } = await outputWithout(
        {
          'src/wire/formats.ts': withoutLine('stratusChat'),
          [`${FOLDER}/laws.test.ts`]: gone,
          [`${FOLDER}/__fixtures__/text.sse`]: gone,
        },
        'bin/bun test test/house/formats.test.ts',
      )
      expect(code).not.toBe(0)
      expect(output).toContain(`${FOLDER} is not registered: add its format to src/wire/formats.ts`)
      expect(output).toContain(`${FOLDER} lacks laws.test.ts: call describeCodecLaws`)
      expect(output).toContain(`${FOLDER} lacks __fixtures__/*.sse: record a streamed answer`)
    },
    TEST_LIMIT_MS,
  )

  test(
    'the tables of the documents is told which command renews them',
    async () => {
      const { code, output } = await outputWithout(
        {},
        'bin/bun test test/documents/configuration.test.ts test/conversations/differencesPage.test.ts',
      )
      expect(code).not.toBe(0)
      expect(output).toContain('scripts/updateProviderTable.ts')
      expect(output).toContain('scripts/updateDifferences.ts')
    },
    TEST_LIMIT_MS,
  )
})
