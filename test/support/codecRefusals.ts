import { expect, test } from 'bun:test'
import type { ChatRequest } from '../../src/core/chat/request.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { type EncodeTarget, UnsupportedField, type WireFormat } from '../../src/wire/wire.ts'
import { chatRequest } from './chatSamples.ts'
import type { ServerCodec } from './wireServers/serverCodec.ts'

/** The field that the encoder refuses; undefined when it does not. */
export function refusedField(
  { client }: WireFormat,
  request: Partial<ChatRequest>,
  target: EncodeTarget,
): string | undefined {
  try {
    client.encodeRequest(chatRequest(request), target)
    return undefined
  } catch (error) {
    if (error instanceof UnsupportedField) return error.param
    throw error
  }
}

/** One test for each request that the provider cannot take, by the field that it names. */
export function testRefusedFields(
  format: WireFormat,
  target: EncodeTarget,
  cases: readonly [string, Partial<ChatRequest>][],
): void {
  test.each(cases)('%s is refused, because the answer would be another one', (param, request) => {
    expect(refusedField(format, request, target)).toBe(param)
  })
}

/** One test for each wrong body that a server gets, by the field that its refusal names. */
export function testRefusedBodies(
  server: ServerCodec<string | Uint8Array>,
  cases: readonly [string, JsonObject][],
): void {
  test.each(cases)('%s is named when it is the first at fault', (param, body) => {
    const decoded = server.decodeRequest(body)
    expect(decoded.ok ? undefined : decoded.refusal).toMatchObject({ code: 'invalid_request', param })
  })
}

/** Nested deeper than the stack of whoever reads it recursively. */
export function deepJson(): JsonObject {
  return JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`) as JsonObject
}
