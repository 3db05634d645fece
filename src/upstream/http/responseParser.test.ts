import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { UpstreamError } from '../../core/failure.ts'
import {
  CHUNK_BYTES_MIN,
  CHUNK_DEFICIT_MAX,
  MAX_CHUNK_LINE_BYTES,
  MAX_HEAD_BYTES,
  MAX_INTERIM_ANSWERS,
  ResponseParser,
} from './responseParser.ts'
import { MAX_HEADERS } from './responseHead.ts'

interface Seen {
  status: number | undefined
  headers: [string, string][]
  body: string
  ended: boolean
  reusable: boolean
  failure: string | undefined
}

/** Feeds the pieces, then the close of the connection when asked, and tells all that came of it. */
function parse(pieces: readonly Uint8Array[], close = false): Seen {
  const seen: Seen = {
    status: undefined,
    headers: [],
    body: '',
    ended: false,
    reusable: false,
    failure: undefined,
  }
  const body: Uint8Array[] = []
  const parser = new ResponseParser({
    onHead(head) {
      seen.status = head.status
      seen.headers = [...head.headers]
    },
    onData: (bytes) => void body.push(Uint8Array.from(bytes)),
    onEnd: () => void (seen.ended = true),
  })
  try {
    for (const piece of pieces) parser.push(piece)
    if (close) parser.close()
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error
    seen.failure = `${error.failure.kind}: ${error.failure.detail}`
  }
  seen.body = Buffer.concat(body).toString('latin1')
  seen.reusable = parser.reusable
  return seen
}

function parseText(text: string, close = false): Seen {
  return parse([Buffer.from(text, 'latin1')], close)
}

function split(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const points = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  return [...points, bytes.length].map((point, index) => bytes.subarray(points[index - 1] ?? 0, point))
}

const FIXED = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello'

test('a body of a given length ends with its last byte, and the connection may be used again', () => {
  expect(parseText(FIXED)).toEqual({
    status: 200,
    headers: [['content-length', '5']],
    body: 'hello',
    ended: true,
    reusable: true,
    failure: undefined,
  })
})

test('chunks are joined; extensions, trailers and the case of sizes do not matter', () => {
  const chunks = '5;name="v"\r\nhello\r\n00A \r\n, wörld 12\r\n0;last\r\nx-sum: 1\r\nx-more: 2\r\n\r\n'
  const seen = parseText(`HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n${chunks}`)
  expect([seen.body, seen.ended, seen.reusable]).toEqual(['hello, wörld 12', true, true])
})

test('a body without a length ends with the connection', () => {
  const head = 'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n'
  expect(parseText(`${head}some`)).toMatchObject({ body: 'some', ended: false })
  expect(parseText(`${head}some`, true)).toMatchObject({ body: 'some', ended: true, reusable: false })
})

test('interim answers are skipped, in bounds', () => {
  const early = 'HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n'
  expect(parseText(`HTTP/1.1 100 Continue\r\n\r\n${early}${FIXED}`)).toMatchObject({
    status: 200,
    body: 'hello',
  })
  expect(parseText(early.repeat(MAX_INTERIM_ANSWERS + 1)).failure).toContain('too many interim answers')
  expect(parseText('HTTP/1.1 101 Switching\r\n\r\n').failure).toContain('switched protocols')
})

test('204 and 304 have no body, whatever their headers say', () => {
  expect(parseText('HTTP/1.1 204 No Content\r\n\r\n')).toMatchObject({ ended: true, reusable: true })
  expect(parseText('HTTP/1.1 304 Not Modified\r\ncontent-length: 9\r\n\r\n')).toMatchObject({ ended: true })
  expect(parseText('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')).toMatchObject({ ended: true })
})

test('the connection is not used again when either side would not keep it', () => {
  expect(parseText('HTTP/1.1 204 x\r\nconnection: Close\r\n\r\n').reusable).toBe(false)
  expect(parseText('HTTP/1.0 204 x\r\n\r\n').reusable).toBe(false)
  expect(parseText('HTTP/1.0 204 x\r\nconnection: x, Keep-Alive\r\n\r\n').reusable).toBe(true)
  expect(parseText(`${FIXED}surplus`)).toMatchObject({ body: 'hello', ended: true, reusable: false })
})

test('headers: lowercase names, repeated ones joined, folded lines unfolded, spaces trimmed', () => {
  const lines = 'X-A:  1 \r\nx-a:\t2\r\nX-Long: one\r\n  two\r\nX-Empty:\r\ncontent-length: 0'
  expect(parseText(`HTTP/1.1 200\n${lines}\r\n\r\n`).headers).toEqual([
    ['x-a', '1, 2'],
    ['x-long', 'one two'],
    ['x-empty', ''],
    ['content-length', '0'],
  ])
})

const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'

test.each([
  ['HTTP/2 200 OK\r\n\r\n', 'no status line'],
  ['<html>\r\n\r\n', 'no status line'],
  ['HTTP/1.1 20 OK\r\n\r\n', 'no status line'],
  ['HTTP/1.1 200 OK\r\nno colon\r\n\r\n', 'broken header name'],
  ['HTTP/1.1 200 OK\r\nspace : 1\r\n\r\n', 'broken header name'],
  ['HTTP/1.1 200 OK\r\n folded: 1\r\n\r\n', 'folded line'],
  ['HTTP/1.1 200 OK\r\nx: a\rb\r\n\r\n', 'control character'],
  ['HTTP/1.1 200 OK\r\nx: a\0b\r\n\r\n', 'control character'],
  ['HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n', 'beside transfer-encoding'],
  ['HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n', 'other than chunked'],
  ['HTTP/1.0 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', 'other than chunked'],
  ['HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n', 'conflicting'],
  ['HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n', 'broken content-length'],
  ['HTTP/1.1 200 OK\r\ncontent-length: 9999999999999999\r\n\r\n', 'broken content-length'],
  [`${CHUNKED}\r\n`, 'without a size'],
  [`${CHUNKED}xyz\r\n`, 'without a size'],
  [`${CHUNKED}5z\r\n`, 'broken chunk size'],
  [`${CHUNKED}-5\r\n`, 'without a size'],
  [`${CHUNKED}fffffffffffff\r\n`, 'out of range'],
  [`${CHUNKED}2\r\nabc`, 'longer than its size'],
])('%j is no answer', (text, detail) => {
  const { failure } = parseText(text)
  expect(failure).toStartWith('invalid_answer: ')
  expect(failure).toContain(detail)
})

test('equal lengths, told twice, are one length', () => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 5\r\n\r\n'
  expect(parseText(`${head}hello`)).toMatchObject({ ended: true, failure: undefined })
})

test('nothing is held without bound: heads, header counts, chunk lines and trailers have limits', () => {
  const long = 'x'.repeat(MAX_HEAD_BYTES)
  const many = 'a: 1\r\n'.repeat(MAX_HEADERS + 1)
  expect(parseText(`HTTP/1.1 200 OK\r\nx: ${long}`).failure).toContain('bytes of headers')
  expect(parseText(`HTTP/1.1 200 OK\r\nx: ${long}\r\n\r\n`).failure).toContain('bytes of headers')
  expect(parseText(`HTTP/1.1 200 OK\r\n${many}\r\n`).failure).toContain('too many headers')
  expect(parseText(`${CHUNKED}5;${'x'.repeat(MAX_CHUNK_LINE_BYTES)}`).failure).toContain('chunk line')
  expect(parseText(`${CHUNKED}0\r\nx: ${long}`).failure).toContain('bytes of headers')
})

test.each([
  ['HTTP/1.1 200 OK\r\ncontent-le', 'before the head was whole'],
  ['HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhell', 'after 4 bytes of body'],
  [`${CHUNKED}5\r\nhel`, 'after 3 bytes of body'],
  [`${CHUNKED}5\r\nhello\r\n`, 'after 5 bytes of body'],
  [`${CHUNKED}5\r\nhello\r\n0\r\n`, 'after 5 bytes of body'],
])('%j and then the end is a cut, not an end', (text, where) => {
  expect(parseText(text, true)).toMatchObject({
    ended: false,
    failure: `connection: the answer was cut ${where}`,
  })
})

test('a stopped parser says no more, also within a push', () => {
  const heard: string[] = []
  const parser: ResponseParser = new ResponseParser({
    onHead: () => void heard.push('head'),
    onData() {
      heard.push('data')
      parser.stop()
    },
    onEnd: () => void heard.push('end'),
  })
  parser.push(Buffer.from(`${CHUNKED}1\r\na\r\n1\r\nb\r\n0\r\n\r\n`))
  expect(heard).toEqual(['head', 'data'])
})

test('law: any split of the same bytes gives the same answer', () => {
  const chunk = fc.record({
    data: fc.uint8Array({ minLength: 1, maxLength: 40 }),
    extension: fc.constantFrom('', ';a=b', ' '),
  })
  const chunked = fc
    .array(chunk, { maxLength: 5 })
    .map((chunks) =>
      Buffer.concat([
        Buffer.from(CHUNKED),
        ...chunks.flatMap(({ data, extension }) => [
          Buffer.from(`${data.length.toString(16)}${extension}\r\n`),
          data,
          Buffer.from('\r\n'),
        ]),
        Buffer.from('0\r\nx-trailer: 1\r\n\r\n'),
      ]),
    )
  const fixed = fc
    .uint8Array({ maxLength: 60 })
    .map((data) =>
      Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${data.length}\r\n\r\n`), data]),
    )
  const untilClose = fc
    .uint8Array({ maxLength: 60 })
    .map((data) => Buffer.concat([Buffer.from('HTTP/1.1 502 Bad\r\nx: y\r\n\r\n'), data]))
  const broken = fc.uint8Array({ maxLength: 60 }).map((data) => Buffer.concat([Buffer.from(CHUNKED), data]))
  const interim = fc.constantFrom('', 'HTTP/1.1 100 Continue\r\n\r\n')
  fc.assert(
    fc.property(
      interim,
      fc.oneof(chunked, fixed, untilClose, broken, fc.uint8Array({ maxLength: 80 })),
      fc.array(fc.nat(), { maxLength: 12 }),
      fc.boolean(),
      (prefix, answer, cuts, close) => {
        const bytes = Buffer.concat([Buffer.from(prefix), answer])
        expect(parse(split(bytes, cuts), close)).toEqual(parse([bytes], close))
      },
    ),
    { numRuns: 500 },
  )
})

test('byte by byte is a split like any other', () => {
  const bytes = Buffer.from(`${CHUNKED}5\r\nhello\r\n0\r\n\r\n`)
  const pieces = Array.from(bytes, (_, index) => bytes.subarray(index, index + 1))
  expect(parse(pieces)).toEqual(parse([bytes]))
})

const chunkOf = (data: string, extension = ''): string =>
  `${data.length.toString(16)}${extension}\r\n${data}\r\n`

test('chunks that bring far less than their framing are refused, after an allowance', () => {
  const allowed = Math.floor(CHUNK_DEFICIT_MAX / (CHUNK_BYTES_MIN - 1))
  const tiny = (count: number): string => chunkOf(' ').repeat(count)
  expect(parseText(`${CHUNKED}${tiny(allowed)}0\r\n\r\n`)).toMatchObject({ ended: true, failure: undefined })
  expect(parseText(`${CHUNKED}${tiny(allowed + 1)}`).failure).toContain('chunks that bring too little')
  const long = chunkOf('hello', `;${'x'.repeat(MAX_CHUNK_LINE_BYTES / 2)}`)
  expect(parseText(`${CHUNKED}${long.repeat(200)}`).failure).toContain('chunks that bring too little')
})

test('an event in three writes, and tokens of few bytes, may go on without end', () => {
  const event = chunkOf('data: ') + chunkOf(`{"choices":[{"delta":{"content":"Hi"}}]}`) + chunkOf('\n\n')
  expect(parseText(`${CHUNKED}${event.repeat(100_000)}0\r\n\r\n`).ended).toBe(true)
  expect(parseText(`${CHUNKED}${chunkOf('{"a":1}\n').repeat(200_000)}0\r\n\r\n`).ended).toBe(true)
})
