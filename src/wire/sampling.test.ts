import { describe, expect, test } from 'bun:test'
import { chatRequest, encodeTarget } from '../../test/support/chatSamples.ts'
import { refusedField } from '../../test/support/codecRefusals.ts'
import { PROVIDERS } from '../providers/index.ts'
import { WIRE_FORMATS, type WireFormatId } from './formats.ts'
import type { WireQuirks } from './wire.ts'

function bodyOf(wire: WireFormatId, quirks: WireQuirks, topP: number): string {
  const target = encodeTarget('m', { quirks })
  return JSON.stringify(WIRE_FORMATS[wire].client.encodeRequest(chatRequest({ topP }), target).body)
}

/** What each provider is sent for a `top_p` of 0: 0, or the least that it takes. */
const LEAST: Readonly<Record<string, number>> = { cohere: 0.01, deepseek: 1e-6, mistral: 1e-6, vllm: 1e-6 }

describe('a top_p of 0', () => {
  test.each(PROVIDERS.map(({ id, wire, quirks }) => [id, wire, quirks] as const))(
    'reaches %s as the least that it takes',
    (id, wire, quirks) => {
      expect(bodyOf(wire, quirks, 0)).toMatch(new RegExp(`"(top_p|topP|p)":${LEAST[id] ?? 0}[,}]`))
      expect(bodyOf(wire, quirks, 0.5)).toMatch(/"(top_p|topP|p)":0\.5[,}]/)
    },
  )
})

/** How many stop sequences each provider takes, of the 16 that a caller may send; the others take 4. */
const STOPS: Readonly<Record<string, number>> = {
  anthropic: 16,
  bedrock: 16,
  cohere: 5,
  deepseek: 16,
  google: 5,
  llamacpp: 16,
  lmstudio: 16,
  mistral: 16,
  moonshot: 5,
  ollama: 16,
  vertex: 5,
}

describe('stop sequences', () => {
  test.each(PROVIDERS.map(({ id, wire, quirks }) => [id, wire, quirks] as const))(
    'reach %s where it takes so many, and else are refused by name',
    (id, wire, quirks) => {
      const most = STOPS[id] ?? 4
      const target = encodeTarget('m', { quirks })
      for (let count = 1; count <= 16; count++) {
        const stop = Array.from({ length: count }, (_, i) => `end ${i}`)
        const refused = refusedField(WIRE_FORMATS[wire], { stop }, target)
        expect({ count, refused }).toEqual({ count, refused: count > most ? 'stop' : undefined })
      }
    },
  )
})
