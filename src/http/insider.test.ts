import { describe, expect, test } from 'bun:test'
import { addressList, callerAddress, isInsider } from './insider.ts'

const PROXIES = addressList(['10.0.0.7', '172.16.0.0/12', '127.0.0.1', 'fd00::/8'])
const NOBODY = addressList([])

const inside = (address: string | undefined, headers: Record<string, string> = {}, trusted = PROXIES) =>
  isInsider({ address, headers: new Headers({ host: '127.0.0.1:4100', ...headers }) }, trusted)

test.each(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])('%s is this machine', (address) => {
  expect(inside(address)).toBe(true)
})

test.each([undefined, '', '10.0.0.7', '192.168.1.1', '::ffff:10.0.0.1', 'fe80::1', 'localhost'])(
  '%s is a stranger',
  (address) => {
    expect(inside(address)).toBe(false)
  },
)

test.each(['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via'])(
  "what a proxy on this machine sends on with %s is a stranger's, unless the proxy is trusted and names this machine",
  (name) => {
    for (const value of ['203.0.113.9', '127.0.0.1', '']) {
      expect(inside('127.0.0.1', { [name]: value }, NOBODY)).toBe(false)
    }
    expect(inside('127.0.0.1', { [name]: '203.0.113.9' })).toBe(false)
  },
)

test.each<[string, Record<string, string>, boolean]>([
  ['10.0.0.7', { 'x-forwarded-for': '127.0.0.1' }, true],
  ['127.0.0.1', { 'x-real-ip': '127.0.0.1', 'x-forwarded-proto': 'https' }, true],
  ['fd00::1', { 'x-forwarded-for': '::1' }, true],
  ['10.0.0.7', { 'x-forwarded-for': '127.0.0.1, 172.16.3.4' }, true],
  // The caller wrote the first one itself: what counts is whom the trusted proxies saw.
  ['10.0.0.7', { 'x-forwarded-for': '127.0.0.1, 203.0.113.9' }, false],
  ['10.0.0.7', { 'x-forwarded-for': '127.0.0.1, 203.0.113.9, 172.16.3.4' }, false],
  ['10.0.0.8', { 'x-forwarded-for': '127.0.0.1' }, false],
  ['10.0.0.7', { 'x-forwarded-for': 'unknown' }, false],
  ['10.0.0.7', { 'x-forwarded-for': '127.0.0.1', forwarded: 'for=127.0.0.1' }, false],
  ['10.0.0.7', { via: '1.1 proxy' }, false],
  ['10.0.0.7', { 'x-forwarded-for': '127.0.0.1, rubbish' }, false],
  ['10.0.0.7', { 'x-forwarded-for': '127.0.0.1, rubbish, 172.16.3.4' }, false],
])('from %s with %j: %p', (address, headers, expected) => {
  expect(inside(address, headers)).toBe(expected)
})

test.each([
  ['localhost', true],
  ['localhost:4100', true],
  ['tollgate.localhost', true],
  ['[::1]:4100', true],
  ['127.0.0.2', true],
  ['evil.example', false],
  ['evil.example:4100', false],
  ['localhost.evil.example', false],
  ['127.0.0.1.evil.example', false],
  ['10.0.0.1', false],
])('a page that calls us %s from this machine: %p', (host, expected) => {
  expect(inside('127.0.0.1', { host })).toBe(expected)
})

describe('where a request comes from', () => {
  const proxies = addressList(['10.0.0.1'])
  const untrusted: string[] = []
  const onUntrusted = (address: string) => void untrusted.push(address)
  const from = (address: string | undefined, headers: Record<string, string> = {}) =>
    callerAddress({ address, headers: new Headers(headers) }, { trusted: () => proxies, onUntrusted })

  test('is the other end of the connection, whatever a stranger says', () => {
    expect(from('203.0.113.7', { 'x-forwarded-for': '127.0.0.1' })).toBe('203.0.113.7')
    expect(from('::ffff:203.0.113.7')).toBe('203.0.113.7')
    expect(from(undefined)).toBeNull()
  })

  test('is whom a trusted proxy names, in one form whatever the proxy writes, and what callers add hides nobody', () => {
    for (const name of [
      '203.0.113.7',
      '::ffff:203.0.113.7',
      '::ffff:cb00:7107',
      '1.2.3.4, 203.0.113.7',
      'rubbish, 203.0.113.7',
      `${'1.2.3.4, '.repeat(1_000)}203.0.113.7`,
      ', , 203.0.113.7, 10.0.0.1',
      '203.0.113.7, 10.0.0.1',
      '203.0.113.7:4444',
      '[::ffff:203.0.113.7]:4444',
    ])
      expect(from('10.0.0.1', { 'x-forwarded-for': name })).toBe('203.0.113.7')
    expect(from('10.0.0.1', { 'x-forwarded-for': '[2001:db8::1]' })).toBe('2001:db8::1')
    const both = { forwarded: 'for=9.9.9.9', 'x-forwarded-for': '203.0.113.7' }
    expect(from('10.0.0.1', both)).toBe('203.0.113.7')
    for (const odd of ['', 'unknown', '1, 2', '203.0.113.7:', '[203.0.113.7', '203.0.113.7:4:4'])
      expect(from('10.0.0.1', { 'x-forwarded-for': odd })).toBe('10.0.0.1')
  })

  test('is that of a proxy which is not trusted, and the proxy is reported', () => {
    untrusted.length = 0
    expect(from('::ffff:10.0.0.9', { 'x-forwarded-for': '203.0.113.7' })).toBe('10.0.0.9')
    expect(from('10.0.0.8', { 'x-real-ip': '203.0.113.7' })).toBe('10.0.0.8')
    from('10.0.0.1', { 'x-forwarded-for': '203.0.113.7' })
    // What trusting it would not help: it names no address that is read.
    for (const name of ['via', 'forwarded', 'x-forwarded-proto']) from('10.0.0.9', { [name]: 'x' })
    expect(untrusted).toEqual(['10.0.0.9', '10.0.0.8'])
  })
})
