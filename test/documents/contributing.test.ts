import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jsonOf } from '../support/readAnswer.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { startScriptedProvider, streams } from '../support/scriptedProvider.ts'
import type { startWorld as StartWorld } from '../support/world.ts'
import {
  changed,
  copyCheckout,
  examplesOf,
  follow,
  missingLine,
  mustSkipExamples,
  runIn,
} from './examples.ts'
import { readPage } from './page.ts'

const ROOT = join(import.meta.dir, '../..')
const PAGE = readPage('CONTRIBUTING.md').text
const EXAMPLES = examplesOf(PAGE)
const MODEL = 'nimbus/nimbus-large'
interface CopiedWorld {
  readonly startWorld: typeof StartWorld
}

// Each builds on those before it, as a reader does.
describe.skipIf(mustSkipExamples(ROOT, EXAMPLES))(
  'the examples of CONTRIBUTING.md, in a copy of the checkout',
  () => {
    let copy = ''
    beforeAll(async () => {
      copy = await mkdtemp(join(tmpdir(), 'tollgate-contributing-'))
      await copyCheckout(ROOT, copy)
    }, TEST_LIMIT_MS)
    afterAll(() => rm(copy, { recursive: true, force: true }), TEST_LIMIT_MS)

    test.each(EXAMPLES.map((example) => [example.name, example] as const))(
      '"%s" goes as it is written',
      async (_name, { steps }) => {
        expect(steps.filter(({ kind }) => kind === 'command')).not.toEqual([])
        for (const step of steps) await follow(step, copy)
      },
      TEST_LIMIT_MS,
    )

    test(
      'make a provider that can be tried, and that answers through the gateway',
      async () => {
        await using provider = await startScriptedProvider(streams('Hello'))
        const [, yaml = ''] = /```yaml\n([\s\S]*?)```/.exec(PAGE) ?? []
        const there = yaml.replace('api_key:', `base_url: "${provider.baseUrl}", api_key:`)
        expect(there).not.toBe(yaml)
        await Bun.write(join(copy, 'nimbus.yaml'), there)
        const [, command = ''] = /^NIMBUS_API_KEY=… (bin.*)$/m.exec(PAGE) ?? []
        const tried = await runIn(copy, `NIMBUS_API_KEY=x ${command}`)
        expect(tried).toEqual({ code: 0, output: expect.stringMatching(/nimbus +nimbus\/nimbus-large +ok/) })

        const { startWorld } = (await import(join(copy, 'test/support/world.ts'))) as CopiedWorld
        await using world = await startWorld({
          provider: streams('Hello', ' Nimbus'),
          config: ({ baseUrl }) => ({
            providers: { nimbus: { base_url: baseUrl, api_key: 'provider-secret' } },
            models: [MODEL],
          }),
        })
        const answer = await world.chat({ model: MODEL, max_tokens: 20 })
        expect(answer.status).toBe(200)
        expect(await jsonOf(answer)).toMatchObject({ choices: [{ message: { content: 'Hello Nimbus' } }] })
        expect((await world.provider.request()).headers['authorization']).toBe('Bearer provider-secret')
        expect((await world.ledger()).at(-1)).toMatchObject({ kind: 'charge' })
      },
      TEST_LIMIT_MS,
    )
  },
)

describe('a place of a file', () => {
  const text = 'one\ntwo\nthree\n'
  test('is changed where its lines are, and what stands for more is kept', () => {
    expect(changed('x', text, [[' t…', '+two and a half', ' three']])).toBe(
      'one\ntwo\ntwo and a half\nthree\n',
    )
    expect(
      changed('x', text, [
        ['-one', '+zero'],
        ['+half', ' two'],
      ]),
    ).toBe('zero\nhalf\ntwo\nthree\n')
    expect(changed('x', text, [['-t…o', '+T…O, …']])).toBe('one\nTwO, …\nthree\n')
  })
  test('that is not there, or there twice, is an error that shows it', () => {
    expect(() => changed('x.ts', text, [[' four', '+five']])).toThrow('x.ts has these lines 0 times:\nfour')
    expect(() => changed('x.ts', text, [[' t…', '+five']])).toThrow('x.ts has these lines 2 times:\nt…')
    expect(() => changed('x.ts', text, [['+five']])).toThrow('x.ts has these lines')
  })
})

test('an expected output is found line by line, in its order', () => {
  const output = 'bun test v1\n\n 340 pass\n 0 fail\n'
  expect(missingLine(output, [' … pass', ' 0 fail'])).toBeUndefined()
  expect(missingLine(output, [' 0 fail', ' … pass'])).toBe(' … pass')
  expect(missingLine(output, [' 1 fail'])).toBe(' 1 fail')
})
