import { expect, test } from 'bun:test'
import { PausableInput } from './pausableInput.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** An input, and everything that happens to its reader and its socket, in order. */
function inputWithReader() {
  const seen: string[] = []
  const input = new PausableInput<string>(() => ({
    pause: () => seen.push('socket pauses'),
    resume: () => seen.push('socket reads on'),
  }))
  const reader = {
    wants: () => true,
    data: (piece: Uint8Array) => void seen.push(new TextDecoder().decode(piece)),
    end: (how: string) => void seen.push(`end: ${how}`),
  }
  return { input, reader, seen }
}

test('an input that is not paused keeps nothing', () => {
  const { input, seen } = inputWithReader()
  expect(input.keep(bytes('a'))).toBe(false)
  expect(input.keepEnd('closed')).toBe(false)
  expect(seen).toEqual([])
})

test('what comes during a pause is given in its order, before the socket reads on', () => {
  const { input, reader, seen } = inputWithReader()
  input.pause()
  for (const piece of ['a', 'b', 'c']) expect(input.keep(bytes(piece))).toBe(true)
  input.resume()
  input.drain(reader)
  expect(seen).toEqual(['socket pauses', 'a', 'b', 'c', 'socket reads on'])
})

test('a pause in which nothing comes costs the socket nothing', () => {
  const { input, reader, seen } = inputWithReader()
  input.pause()
  input.resume()
  input.drain(reader)
  expect(seen).toEqual([])
})

test('the end of the connection comes after everything that came before it', () => {
  const { input, reader, seen } = inputWithReader()
  input.pause()
  input.keep(bytes('last words'))
  expect(input.keepEnd('reset')).toBe(true)
  input.resume()
  input.drain(reader)
  expect(seen).toEqual(['socket pauses', 'last words', 'end: reset'])
})

test('a reader that pauses or has enough while it takes is given no more', () => {
  const { input, reader, seen } = inputWithReader()
  input.pause()
  for (const piece of ['a', 'b', 'c']) input.keep(bytes(piece))
  input.resume()
  input.drain({ ...reader, data: (piece) => (reader.data(piece), input.pause()) })
  expect(seen).toEqual(['socket pauses', 'a'])
  input.resume()
  let wanted = 1
  input.drain({ ...reader, wants: () => wanted-- > 0 })
  expect(seen).toEqual(['socket pauses', 'a', 'b'])
  expect(input.keepsBytes).toBe(true)
})
