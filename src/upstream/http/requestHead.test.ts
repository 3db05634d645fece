import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import type { HttpRequest } from '../http.ts'
import { encodeRequestHead } from './requestHead.ts'

const TIMEOUTS = { connectMs: 1, firstEventMs: 1, idleMs: 1, totalMs: 1 }

function requestTo(url: string, more: Partial<HttpRequest> = {}): HttpRequest {
  return { method: 'POST', url: new URL(url), headers: {}, timeouts: TIMEOUTS, ...more }
}

test('a head says host, length and that no encoding is wanted', () => {
  const request = requestTo('http://api.test:8080/v1/chat?x=1', { headers: { authorization: 'Bearer k' } })
  expect(encodeRequestHead(request, 12)).toBe(
    'POST /v1/chat?x=1 HTTP/1.1\r\nhost: api.test:8080\r\nauthorization: Bearer k\r\n' +
      'accept-encoding: identity\r\ncontent-length: 12\r\n\r\n',
  )
})

test('a GET has no length, and a default port and a password in the URL are not sent', () => {
  expect(encodeRequestHead(requestTo('https://me:secret@api.test/', { method: 'GET' }), 0)).toBe(
    'GET / HTTP/1.1\r\nhost: api.test\r\naccept-encoding: identity\r\n\r\n',
  )
})

test('headers that belong to the connection are the client’s own, in any case', () => {
  const headers = { Host: 'evil', 'Content-Length': '1', 'transfer-encoding': 'chunked', Connection: 'close' }
  const head = encodeRequestHead(requestTo('http://api.test/', { headers }), 3)
  expect(head).not.toContain('evil')
  expect(head).not.toContain('chunked')
  expect(head.match(/content-length/gi)).toHaveLength(1)
})

test('no value and no name can write a header of its own', () => {
  for (const value of ['a\r\nx: 1', 'a\nb', 'a\rb', 'a\0b', 'ü']) {
    expect(() =>
      encodeRequestHead(requestTo('http://api.test/', { headers: { 'x-key': value } }), 0),
    ).toThrow('x-key')
  }
  for (const name of ['a b', 'a:b', 'a\r\nb', '']) {
    expect(() => encodeRequestHead(requestTo('http://api.test/', { headers: { [name]: '1' } }), 0)).toThrow(
      'token',
    )
  }
})

test('a refused value, which may be a secret, is not in the error', () => {
  const headers = { authorization: 'Bearer secret\n' }
  let thrown: unknown
  try {
    encodeRequestHead(requestTo('http://api.test/', { headers }), 0)
  } catch (error) {
    thrown = error
  }
  expect(String(thrown)).toContain('authorization')
  expect(String(thrown)).not.toContain('secret')
})

test('law: whatever the headers are, the head is refused or has exactly one line for each', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ maxLength: 8 }), fc.string({ unit: 'binary', maxLength: 20 }), {
        maxKeys: 5,
      }),
      (headers) => {
        const request = requestTo('http://api.test/', { headers })
        let head: string
        try {
          head = encodeRequestHead(request, 0)
        } catch {
          return
        }
        expect(head.split('\r\n').length).toBeLessThanOrEqual(Object.keys(headers).length + 6)
        expect(head.indexOf('\r\n\r\n')).toBe(head.length - 4)
      },
    ),
  )
})
