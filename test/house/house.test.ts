import { describe, expect, test } from 'bun:test'
import { Glob } from 'bun'
import { join } from 'node:path'
import { ROOMS, type SourceFile, violationsOf } from './rules.ts'

const root = join(import.meta.dir, '../..')

async function sourceFiles(): Promise<SourceFile[]> {
  const paths = await Array.fromAsync(new Glob('**/*.ts').scan(join(root, 'src')))
  return Promise.all(
    paths.toSorted().map(async (path) => ({ path, text: await Bun.file(join(root, 'src', path)).text() })),
  )
}

describe('the house', () => {
  test('no module imports upward, and core and wire are pure', async () => {
    const files = await sourceFiles()
    expect(files.length).toBeGreaterThan(100)
    expect(violationsOf(files)).toEqual([])
  })

  test('every module of the rules exists', async () => {
    const rooms = new Set((await sourceFiles()).map(({ path }) => path.split('/')[0]))
    expect(Object.keys(ROOMS).filter((room) => !rooms.has(room))).toEqual([])
  })
})

describe('the rules catch a planted violation', () => {
  const planted: readonly [what: string, file: SourceFile, message: string][] = [
    [
      'core importing the store',
      { path: 'core/price.ts', text: "import { openStore } from '../store/open.ts'" },
      'core may not import store',
    ],
    [
      'wire importing upstream as a type',
      { path: 'wire/openai-chat/x.ts', text: "import type { Route } from '../../upstream/route.ts'" },
      'wire may not import upstream',
    ],
    [
      'the store importing the pipeline lazily',
      { path: 'store/open.ts', text: "const m = await import('../pipeline/chat.ts')" },
      'store may not import pipeline',
    ],
    [
      'the command line importing the gateway',
      { path: 'cli/commands/usage.ts', text: "import { startGateway } from '../../gateway/startGateway.ts'" },
      'cli may not import gateway',
    ],
    [
      'a clock in core',
      { path: 'core/limit.ts', text: 'const now = Date.now()' },
      'core is pure and may not touch the clock',
    ],
    [
      'a platform module in wire',
      { path: 'wire/sse.ts', text: "import { Buffer } from 'node:buffer'" },
      'wire is pure and may not touch a platform module',
    ],
    [
      'the environment read in a module that must be given it',
      { path: 'pipeline/plan.ts', text: 'const debug = process.env.DEBUG' },
      'pipeline may not read the environment',
    ],
    [
      'a codec that asks which model it is',
      { path: 'wire/anthropic-messages/x.ts', text: 'const thinks = /claude-opus-4/.test(model)' },
      'wire may not name a model',
    ],
    [
      'a clock that is not from platform.ts',
      { path: 'serve/serve.ts', text: 'const deps = { now: Date.now }' },
      'serve takes clock, chance and memory from platform.ts',
    ],
    ['any', { path: 'pipeline/plan.ts', text: 'let plan: any' }, 'any is not a type of ours'],
    [
      'an empty catch',
      { path: 'pipeline/plan.ts', text: 'try { go() } catch {}' },
      'a catch must not be empty',
    ],
    ['an unknown module', { path: 'helpers/misc.ts', text: '' }, '"helpers" is no room of the house'],
  ]

  test.each(planted)('%s', (_what, file, message) => {
    expect(violationsOf([file]).map((violation) => violation.message)).toContain(message)
  })
})
