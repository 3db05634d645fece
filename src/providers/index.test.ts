import { expect, test } from 'bun:test'
import { WIRE_FORMATS } from '../wire/formats.ts'
import { FORMAT_QUIRKS } from '../wire/wire.ts'
import { PROVIDERS, knownProvider } from './index.ts'

test('every provider has an id and a key variable of its own', () => {
  const ids = PROVIDERS.map(({ id }) => id)
  expect(ids.length).toBe(new Set(ids).size)
  for (const id of ids) expect(id).toMatch(/^[a-z0-9]+$/)
  const variables = PROVIDERS.flatMap(({ keyVariable }) => keyVariable ?? [])
  expect(variables.length).toBe(new Set(variables).size)
  for (const variable of variables) expect(variable).toMatch(/^[A-Z][A-Z0-9_]*$/)
})

test('every provider that wants a key has a variable for it, and no other has', () => {
  for (const { id, auth, keyVariable } of PROVIDERS)
    expect({ id, hasVariable: keyVariable !== undefined }).toEqual({ id, hasVariable: auth.kind !== 'none' })
})

test('credentials travel encrypted: every address is https unless it is this machine', () => {
  for (const { id, baseUrl } of PROVIDERS) {
    const url = new URL(baseUrl.replaceAll(/\{[a-z]+-?\}/g, 'x'))
    const secure = url.protocol === 'https:' || url.protocol === 'demo:' || url.hostname === '127.0.0.1'
    expect({ id, secure, slash: baseUrl.endsWith('/') }).toEqual({ id, secure: true, slash: false })
  }
})

test('quirks say nothing about what they do not change', () => {
  for (const { id, quirks } of PROVIDERS)
    for (const [name, value] of Object.entries(quirks)) {
      expect({ id, name, empty: Array.isArray(value) && value.length === 0 }).toEqual({
        id,
        name,
        empty: false,
      })
      expect({ id, name, value: value === undefined }).toEqual({ id, name, value: false })
    }
})

test('quirks say only what differs from the wire format, and what the format can honour', () => {
  for (const { id, wire, quirks } of PROVIDERS) {
    const { choices, toolCalls, quirks: honoured } = WIRE_FORMATS[wire]
    const stated = FORMAT_QUIRKS.filter((quirk) => quirks[quirk] !== undefined)
    expect({ id, vain: stated.filter((quirk) => !honoured.includes(quirk)) }).toEqual({ id, vain: [] })
    expect({ id, n: quirks.supportsN }).not.toEqual({ id, n: choices === 'n' })
    expect({ id, whole: quirks.wholeToolCalls }).not.toEqual({ id, whole: toolCalls === 'whole' })
  }
})

test('a 403 of together is a request too large, and what a code, words or another status say stays', () => {
  const patch = PROVIDERS.find(({ id }) => id === 'together')?.quirks.patchFailure
  const answer = (status: number) => ({ status, headers: new Map<string, string>(), body: '' })
  const bare = { kind: 'credential', sign: 'status', detail: '' } as const
  expect(patch?.(answer(403), bare).kind).toBe('too_large')
  expect(patch?.(answer(403), { ...bare, sign: 'code' }).kind).toBe('credential')
  expect(patch?.(answer(403), { ...bare, sign: 'words' }).kind).toBe('credential')
  expect(patch?.(answer(401), bare).kind).toBe('credential')
})

test.each(['groq', 'cerebras'])('%s is not sent the reasoning of earlier turns, which it refuses', (id) => {
  const dropped = knownProvider(id)?.quirks.dropMessageFields
  expect(dropped).toEqual(expect.arrayContaining(['reasoning_content', 'reasoning_details']))
})
