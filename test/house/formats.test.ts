import { describe, expect, test } from 'bun:test'
import { Glob } from 'bun'
import { join } from 'node:path'
import { WIRE_FORMAT_IDS } from '../../src/wire/formats.ts'
import { type FormatFacts, formatComplaints } from './formatRules.ts'
import { sourceFiles } from './sourceFiles.ts'

test('every wire format is registered and has its laws, its recorded answers and its page', () => {
  const files = [...new Glob('**/*').scanSync(join(import.meta.dir, '../../src/wire'))]
  expect(WIRE_FORMAT_IDS.length).toBeGreaterThan(5)
  expect(formatComplaints({ registered: WIRE_FORMAT_IDS, files })).toEqual([])
})

test('no code of src compares the id of a wire format: what differs is a field of its declaration', () => {
  const ids = new RegExp(`'(?:${WIRE_FORMAT_IDS.join('|')})'`)
  const isDeclaration = /^src\/(?:wire\/[a-z-]+\/\w+|providers\/\w+|catalog\/models\/\w+)\.ts$/
  const found = sourceFiles('src').filter(
    ({ path, text }) =>
      !path.endsWith('.test.ts') &&
      !isDeclaration.test(path) &&
      text.split('\n').some((line) => ids.test(line) && !line.includes('example:')),
  )
  expect(found.map(({ path }) => path)).toEqual([])
})

describe('the rules catch a planted wire format', () => {
  const files = [
    'wire.ts',
    'stratus-chat/stratusChat.ts',
    'stratus-chat/README.md',
    'stratus-chat/laws.test.ts',
    'stratus-chat/answers.test.ts',
    'stratus-chat/__fixtures__/README.md',
    'stratus-chat/__fixtures__/text.json',
    'stratus-chat/__fixtures__/text.sse',
  ]
  const good: FormatFacts = { registered: ['stratus-chat'], files }
  const without = (part: string): FormatFacts => ({
    ...good,
    files: files.filter((path) => !path.includes(part)),
  })

  test('that has everything: nothing', () => {
    expect(formatComplaints(good)).toEqual([])
  })

  test.each<[string, FormatFacts, string]>([
    ['without its line', { ...good, registered: [] }, 'src/wire/stratus-chat is not registered'],
    ['without its folder', without('stratus'), 'stratus-chat has no folder'],
    ['without its laws', without('laws'), 'src/wire/stratus-chat lacks laws.test.ts'],
    ['without a test of its answers', without('answers'), 'src/wire/stratus-chat lacks answers.test.ts'],
    ['without a recorded answer', without('text.json'), 'lacks __fixtures__/*.json'],
    ['without a recorded stream', without('text.sse'), 'lacks __fixtures__/*.sse'],
    ['without its page', without('chat/README'), 'src/wire/stratus-chat lacks README.md'],
  ])('%s', (_what, facts, message) => {
    expect(formatComplaints(facts)).toContainEqual(expect.stringContaining(message))
  })
})
