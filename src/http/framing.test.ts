import { expect, test } from 'bun:test'
import { framingFault } from './framing.ts'

test.each([
  [{}],
  [{ host: '' }],
  [{ host: 'gateway.example:4100', 'content-length': '12' }],
  [{ host: 'a,b' }],
])('%p is read as it is', (headers) => {
  expect(framingFault(new Headers(headers))).toBeUndefined()
})

test.each([
  ['host', 'a.example', 'b.example', 'Host'],
  ['host', 'a.example', 'a.example', 'Host'],
  ['host', '', 'a.example', 'Host'],
  ['content-length', '2', '2', 'Content-Length'],
])('a repeated %s (%s, %s) is refused by its name', (name, one, other, named) => {
  const headers = new Headers([
    [name, one],
    [name, other],
  ])
  expect(framingFault(headers)).toBe(`The request has more than one ${named} header.`)
})
