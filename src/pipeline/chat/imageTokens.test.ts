import { expect, test } from 'bun:test'
import { Buffer } from 'node:buffer'
import * as fc from 'fast-check'
import { imageTokensOf } from './imageTokens.ts'

const MOST = 16_384

function u32(value: number): number[] {
  return [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]
}

const u16 = (value: number): number[] => [value >>> 8, value & 255]

function png(width: number, height: number): number[] {
  return [
    0x89,
    0x50,
    0x4e,
    0x47,
    13,
    10,
    26,
    10,
    0,
    0,
    0,
    13,
    0x49,
    0x48,
    0x44,
    0x52,
    ...u32(width),
    ...u32(height),
    8,
    6,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
  ]
}

/** With a preview of so many bytes in front of its size. */
function jpeg(width: number, height: number, preview = 0): number[] {
  const block = [0xff, 0xe1, ...u16(2 + preview), ...Array.from({ length: preview }, () => 0)]
  return [
    0xff,
    0xd8,
    ...block,
    0xff,
    0xc0,
    0,
    17,
    8,
    ...u16(height),
    ...u16(width),
    3,
    1,
    0x22,
    0,
    2,
    0x11,
    1,
    3,
    0x11,
    1,
    0xff,
    0xd9,
  ]
}

function gif(width: number, height: number): number[] {
  const swapped = (value: number): number[] => u16(value).toReversed()
  return [...Buffer.from('GIF89a'), ...swapped(width), ...swapped(height), 0, 0, 0]
}

function tokensOf(bytes: readonly number[], most = MOST): number {
  return imageTokensOf(Buffer.from(bytes).toString('base64'), most)
}

test('a picture counts by its pixels, at least a tile and at most the most of its model', () => {
  for (const picture of [png, jpeg, gif]) {
    expect(tokensOf(picture(1, 1))).toBe(258)
    expect(tokensOf(picture(400, 300))).toBe(Math.ceil(MOST / 10))
    expect(tokensOf(picture(4_000, 3_000))).toBe(MOST)
    expect(tokensOf(picture(400, 300), 1_600)).toBe(258)
    expect(tokensOf(picture(1_000, 750), 1_600)).toBe(1_000)
    expect(tokensOf(picture(1, 1), 85)).toBe(85)
  }
})

test('the size of a photograph is found behind its preview', () => {
  expect(tokensOf(jpeg(400, 300, 60_000))).toBe(Math.ceil(MOST / 10))
})

test('what does not tell its size counts the most', () => {
  expect(imageTokensOf(undefined, MOST)).toBe(MOST)
  expect(tokensOf([])).toBe(MOST)
  expect(tokensOf(png(400, 300).slice(0, 12))).toBe(MOST)
  expect(tokensOf(png(0, 300))).toBe(MOST)
  expect(imageTokensOf('!?', MOST)).toBe(MOST)
})

test('no bytes make it throw, loop, or count beyond its bounds', () => {
  const heads = [
    png(9, 9),
    jpeg(9, 9),
    gif(9, 9),
    [...Buffer.from('RIFF....WEBPVP8 ')],
    [...Buffer.from('RIFF....WEBPVP8X')],
  ]
  const bytes = fc.tuple(fc.constantFrom(...heads), fc.nat(40), fc.uint8Array({ maxLength: 200 }))
  fc.assert(
    fc.property(bytes, ([head, kept, rest]) => {
      const tokens = tokensOf([...head.slice(0, kept), ...rest])
      expect(tokens).toBeWithin(258, MOST + 1)
    }),
    { numRuns: 2_000 },
  )
})
