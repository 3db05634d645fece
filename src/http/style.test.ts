import { expect, test } from 'bun:test'
import { STYLE } from './style.ts'

test('light and dark differ by their colours alone, so that a layout that fits in one fits in both', () => {
  const schemes = STYLE.match(/@media \(prefers-color-scheme:\w+\)\{.*$/gm) ?? []
  expect(schemes).toHaveLength(1)
  for (const scheme of schemes)
    expect(scheme).toMatch(
      /^@media \(prefers-color-scheme:dark\)\{:root\{(?:--[a-z-]+:#[\da-f]{3,6};?)+\}\}$/,
    )
})
