import { expect, test } from 'bun:test'
import { createPartSize } from './partSize.ts'
import { createTurns } from './turns.ts'

test('however many reports there are, one part is read in a turn of the event loop, each report in its turn', async () => {
  const turns = createTurns()
  const parts: string[] = []
  let turn = 0
  const ended = new AbortController()
  const counting = (async () => {
    while (!ended.signal.aborted) {
      await new Promise((over) => {
        setImmediate(over)
      })
      turn++
    }
  })()
  async function report(name: string): Promise<void> {
    const pace = turns.pace(100)
    for (let part = 0; part < 3; part++) {
      await pace.part(() => Promise.resolve(parts.push(`${turn} ${name}`)))
    }
  }
  await Promise.all([report('a'), report('b'), report('c')])
  ended.abort()
  await counting
  expect(new Set(parts.map((part) => part.split(' ')[0])).size).toBe(9)
  expect(parts.map((part) => part.split(' ')[1]).join('')).toBe('abcabcabc')
})

test('a part that fails does not keep the others from their turns', async () => {
  const turns = createTurns()
  const failing = turns.pace(100).part(() => Promise.reject(new Error('no such table')))
  const reading = turns.pace(100).part(() => Promise.resolve('read'))
  expect((await Promise.allSettled([failing])).map(({ status }) => status)).toEqual(['rejected'])
  expect(await reading).toBe('read')
})

test('parts become small where reading is slow, never nothing, and large again where it is quick', () => {
  const size = createPartSize(640)
  const first = size.rows()
  for (let i = 0; i < 20; i++) size.took(1_000)
  expect(size.rows()).toBe(10)
  for (let i = 0; i < 20; i++) size.took(0)
  expect(size.rows()).toBe(640)
  expect(first).toBeLessThan(640)
})
