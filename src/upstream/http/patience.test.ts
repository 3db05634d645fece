import { expect, test } from 'bun:test'
import type { Timeouts } from '../http.ts'
import { Patience } from './patience.ts'

const TIMEOUTS: Timeouts = {
  connectMs: 10,
  firstByteMs: 20,
  firstEventMs: 30,
  idleMs: 5,
  spokenIdleMs: 8,
  totalMs: 100,
}

/** A patience on a clock that moves by hand. */
function patienceAt(start = 0) {
  const clock = { now: start, in: (ms: number) => clock.now + ms, add: () => {}, delete: () => {} }
  const patience = new Patience(clock, () => {})
  const silence = () => patience.describeSilence({ key: 'peer', answered: false }).code
  return { clock, patience, silence }
}

test('a connection is awaited, then the first byte', () => {
  const { patience, silence } = patienceAt(1000)
  patience.connect(TIMEOUTS)
  expect([patience.expiresAt, silence()]).toEqual([1010, 'connect_timeout'])
  patience.begin(TIMEOUTS)
  expect([patience.expiresAt, silence()]).toEqual([1020, 'first_byte_timeout'])
})

test('after a read the next one is awaited, but no longer than the first event', () => {
  const { clock, patience, silence } = patienceAt()
  patience.begin(TIMEOUTS)
  clock.now = 10
  patience.receive()
  patience.read()
  expect([patience.expiresAt, silence()]).toEqual([15, 'idle_timeout'])
  clock.now = 28
  patience.read()
  expect([patience.expiresAt, silence()]).toEqual([30, 'first_event_timeout'])
})

test('after the first event the end of the answer is the last moment', () => {
  const { clock, patience, silence } = patienceAt()
  patience.begin(TIMEOUTS)
  patience.receive()
  patience.firstEventSeen()
  clock.now = 98
  patience.read()
  expect([patience.expiresAt, silence()]).toEqual([100, 'total_timeout'])
})

test('an answer that has said something may be silent for longer', () => {
  const { patience } = patienceAt()
  patience.begin(TIMEOUTS)
  patience.receive()
  patience.firstEventSeen()
  expect(patience.expiresAt).toBe(5)
  patience.spoken()
  expect(patience.expiresAt).toBe(8)
})

test('a pause of the reader costs the peer nothing', () => {
  const { clock, patience } = patienceAt()
  patience.begin(TIMEOUTS)
  patience.receive()
  patience.firstEventSeen()
  clock.now = 10
  patience.pause()
  expect(patience.expiresAt).toBe(Infinity)
  clock.now = 1000
  patience.resume()
  expect(patience.expiresAt).toBe(1005)
  clock.now = 1089
  patience.read()
  expect(patience.expiresAt).toBe(1090)
})

test('before the first event a pause does not end the waiting for it', () => {
  const { patience } = patienceAt()
  patience.begin(TIMEOUTS)
  patience.pause()
  expect(patience.expiresAt).toBe(20)
})

test('a peer that takes more of the request has its time again', () => {
  const { clock, patience } = patienceAt()
  patience.begin(TIMEOUTS)
  clock.now = 15
  patience.took()
  expect(patience.expiresAt).toBe(35)
})

test('a connection that rests is kept for the time that is given', () => {
  const { clock, patience } = patienceAt()
  clock.now = 7
  patience.rest(50)
  expect([patience.restsSince, patience.expiresAt]).toEqual([7, 57])
})
