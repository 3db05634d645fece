import { describe, expect, test } from 'bun:test'
import { parseDataUrl, plainDataUrl } from './dataUrl.ts'

const JPEG = '/9j/4AAQSkZJRgABAQAAAQABAAD'
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAE'
const GIF = 'R0lGODlhAQABAIAAAAAAAP'
const WEBP = 'UklGRiQAAABXRUJQVlA4IBgAAAA'
const PDF = 'JVBERi0xLjQKJeLjz9MKMSAwIG9'

describe('a data URL gets the media type that providers compare letter by letter', () => {
  test.each([
    ['another name', `data:image/jpg;base64,${JPEG}`, `data:image/jpeg;base64,${JPEG}`],
    ['capitals', `DATA:IMAGE/PNG;BASE64,${PNG}`, `data:image/png;base64,${PNG}`],
    ['parameters', `data:image/png;charset=utf-8;base64,${PNG}`, `data:image/png;base64,${PNG}`],
    ['a type that belies the bytes', `data:image/png;base64,${JPEG}`, `data:image/jpeg;base64,${JPEG}`],
    ['bytes of no type', `data:application/octet-stream;base64,${WEBP}`, `data:image/webp;base64,${WEBP}`],
    ['no type', `data:;base64,${GIF}`, `data:image/gif;base64,${GIF}`],
    ['a file of another name', `data:application/x-pdf;base64,${PDF}`, `data:application/pdf;base64,${PDF}`],
    [
      'a file that says nothing',
      `data:binary/octet-stream;base64,${PDF}`,
      `data:application/pdf;base64,${PDF}`,
    ],
    ['bytes that nobody knows', 'data:image/jpg;base64,AAAAAAAA', 'data:image/jpeg;base64,AAAAAAAA'],
    ['too few bytes to know', 'data:image/jpg;base64,/9', 'data:image/jpeg;base64,/9'],
  ])('%s', (_what, given, plain) => {
    expect(plainDataUrl(given)).toBe(plain)
    expect(plainDataUrl(plain)).toBe(plain)
    expect(parseDataUrl(plain)?.base64).toBe(given.slice(given.indexOf(',') + 1))
  })

  test.each([
    'https://example.com/data:image/jpg;base64,x',
    `data:image/jpeg;base64,${JPEG}`,
    `data:text/plain;base64,${PNG}`,
    'data:image/png,not-base64',
    'data:image/svg+xml;base64,PHN2Zz48L3N2Zz4=',
    'data:',
    'data:image/png;base64',
    `data:${'x'.repeat(300)};base64,${PNG}`,
    'data:image/heic;base64,AAAAGGZ0eXBoZWlj',
    '',
  ])('%s stays as it is', (given) => {
    expect(plainDataUrl(given)).toBe(given)
  })
})
