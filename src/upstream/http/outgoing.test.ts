import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { Outgoing } from './outgoing.ts'

const HEAD = 'POST / HTTP/1.1\r\n\r\n'
/** The length of a piece, by observation: a test of pieces must cross their borders. */
const PIECE = 256 * 1024

function sentOf(outgoing: Outgoing): Buffer {
  const pieces = [Buffer.from(outgoing.opening)]
  while (!outgoing.exhausted) pieces.push(Buffer.from(outgoing.next()))
  return Buffer.concat(pieces)
}

function outgoingOf(body: string | Uint8Array): Outgoing {
  return new Outgoing(() => HEAD, body)
}

test('whatever the length of a body, the pieces together are its UTF-8, as often as it is sent', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('x', 'é', '漢', '😀', 'a😀'),
      fc.integer({ min: -3, max: 3 }),
      fc.integer({ min: 0, max: 5 }),
      (character, more, pieces) => {
        const body = 'a'.repeat(Math.abs(more)) + character.repeat(Math.max(0, PIECE * pieces + more))
        const whole = Buffer.from(HEAD + body)
        const outgoing = outgoingOf(body)
        expect(sentOf(outgoing).equals(whole)).toBe(true)
        outgoing.restart()
        expect(sentOf(outgoing).equals(whole)).toBe(true)
        const bytes = outgoingOf(Buffer.from(body))
        expect(sentOf(bytes).equals(whole)).toBe(true)
      },
    ),
    { numRuns: 30 },
  )
})

test('the head says how many bytes the body has, at every length', () => {
  for (const length of [0, 1, 16 * 1024, 16 * 1024 + 1, 2 ** 20, 2 ** 20 + 1])
    for (const character of ['x', 'é', '漢']) {
      const lengths: number[] = []
      const body = character.repeat(length)
      void new Outgoing((bytes) => (lengths.push(bytes), HEAD), body)
      expect(lengths).toEqual([Buffer.byteLength(body)])
    }
})

test('a small request is one piece of known length', () => {
  const outgoing = outgoingOf('{"text":"ä"}')
  expect(outgoing.opening).toBe(`${HEAD}{"text":"ä"}`)
  expect(outgoing.openingBytes).toBe(Buffer.byteLength(`${HEAD}{"text":"ä"}`))
  expect(outgoing.exhausted).toBe(true)
})

test('of a request that is forgotten nothing is kept, be it small or large', () => {
  for (const body of ['a prompt', 'x'.repeat(3 * PIECE)]) {
    const outgoing = outgoingOf(body)
    outgoing.forget()
    expect(sentOf(outgoing)).toHaveLength(0)
  }
})

test('what is forgotten is not sent', () => {
  const outgoing = outgoingOf('x'.repeat(3 * PIECE))
  outgoing.next()
  outgoing.forget()
  expect(outgoing.exhausted).toBe(true)
})
