import { expect, test } from 'bun:test'
import { Outgoing } from './outgoing.ts'
import { RequestSender, TURN_BYTES } from './requestSender.ts'

/** A socket that takes so many bytes of each piece, and what it took. */
function socketTaking(...takes: readonly number[]) {
  const left = [...takes]
  const taken: string[] = []
  const sender = new RequestSender(() => ({
    write(bytes) {
      const text = typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes)
      const count = Math.min(left.shift() ?? Infinity, text.length)
      if (count > 0) taken.push(text.slice(0, count))
      return count
    },
  }))
  return { sender, taken }
}

const requestOf = (body: string) => new Outgoing(() => 'head;', body)

test('a request that the socket takes whole is sent with its opening', () => {
  const { sender, taken } = socketTaking()
  expect(sender.start(requestOf('body'))).toBe('all')
  expect(sender.sending).toBe(false)
  expect(taken).toEqual(['head;body'])
})

test('what the socket did not take follows when it is writable again', () => {
  const { sender, taken } = socketTaking(3, 2)
  const request = requestOf('body')
  expect(sender.start(request)).toBe('full')
  expect([sender.sending, sender.waits]).toEqual([true, true])
  expect(sender.goOn(request)).toBe('full')
  expect(sender.goOn(request)).toBe('all')
  expect([sender.sending, sender.waits]).toEqual([false, false])
  expect(taken).toEqual(['hea', 'd;', 'body'])
})

test('a long request leaves other calls their turns', () => {
  const { sender, taken } = socketTaking()
  const body = 'b'.repeat(2 * TURN_BYTES + 1)
  const request = requestOf(body)
  expect(sender.start(request)).toBe('turn')
  expect([sender.sending, sender.waits]).toEqual([true, false])
  while (sender.goOn(request) === 'turn');
  expect(sender.sending).toBe(false)
  expect(taken.join('')).toBe(`head;${body}`)
})

test('a socket that is closed, or not there yet, loses the request', () => {
  expect(socketTaking(-1).sender.start(requestOf('body'))).toBe('lost')
  const sender = new RequestSender(() => undefined)
  expect(sender.start(requestOf('body'))).toBe('lost')
  expect(sender.sending).toBe(true)
})

test('a request starts from its beginning, whatever the one before has left', () => {
  const { sender, taken } = socketTaking(2)
  const request = requestOf('body')
  expect(sender.start(request)).toBe('full')
  expect(sender.start(request)).toBe('all')
  expect(taken).toEqual(['he', 'head;body'])
})
