import { describe, expect, test } from 'bun:test'
import { findAccountName } from '../../core/accountNames.ts'
import type { ChatRequest } from '../../core/chat/request.ts'
import type { JsonObject } from '../../core/json.ts'
import { promptSizeOf } from '../../core/promptSize.ts'
import { fixturesIn } from '../../../test/support/wireFixtures.ts'
import { asFunctions } from '../customTools.ts'
import { decodeRequest } from './decodeRequest.ts'

const { json } = fixturesIn(import.meta.dir)
const USER = { role: 'user', content: 'Hi' }
const SHELL = { type: 'function', name: 'run', description: 'Runs a command', parameters: { type: 'object' } }
const PATCH = { type: 'custom', name: 'patch', description: 'Changes files' }

function adding(...tools: readonly JsonObject[]): JsonObject {
  return { type: 'additional_tools', role: 'developer', tools }
}

function decoded(body: JsonObject): ChatRequest {
  const whole = { model: 'm', ...body }
  const result = decodeRequest(whole)
  if (!result.ok) throw new Error(result.refusal.message)
  return { ...result.request, source: { format: 'openai-responses', body: whole, headers: {} } }
}

function namesOf({ tools = [] }: ChatRequest): unknown[] {
  return tools.map((tool) => tool.function?.name ?? (tool['custom'] as { name: string }).name)
}

describe('tools that the input adds', () => {
  test('come behind those of the body, in no turn of the conversation', () => {
    const request = decoded({ tools: [SHELL], input: [USER, adding(PATCH), USER] })
    expect(namesOf(request)).toEqual(['run', 'patch'])
    expect(request.messages).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'user', content: 'Hi' },
    ])
    expect(request.unknownFields).toBeUndefined()
  })

  test('are the only ones where the body has none', () => {
    expect(namesOf(decoded({ input: [adding(SHELL), USER] }))).toEqual(['run'])
  })

  test('replace one of the same type and name, and no other', () => {
    const tools = [SHELL, PATCH, { ...PATCH, name: 'run' }]
    const request = decoded({ tools, input: [USER, adding({ ...SHELL, description: 'New' })] })
    expect(request.tools?.map((tool) => [tool.type, tool.function?.description])).toEqual([
      ['function', 'New'],
      ['custom', undefined],
      ['custom', undefined],
    ])
  })

  test('may be chosen', () => {
    const choice = { type: 'custom', name: 'patch' }
    expect(decoded({ input: [USER, adding(PATCH)], tool_choice: choice }).toolChoice).toEqual({
      type: 'custom',
      custom: { name: 'patch' },
    })
  })

  test('of the vendor are left out by name, with the item where no other is left', () => {
    const vendors = [{ type: 'web_search' }, { type: 'namespace', name: 'n', tools: [SHELL] }]
    const some = decoded({ input: [USER, adding(...vendors, SHELL)] })
    expect([namesOf(some), some.unknownFields]).toEqual([['run'], ['tools[web_search]', 'tools[namespace]']])
    const none = decoded({ input: [USER, adding(...vendors)] })
    expect([none.tools, none.unknownFields]).toEqual([
      undefined,
      ['input[additional_tools]', 'tools[web_search]', 'tools[namespace]'],
    ])
  })

  test('are counted once, as those of the body are', () => {
    const large = { ...PATCH, description: 'word '.repeat(1_000), novel: 'word '.repeat(1_000) }
    const sizeOf = (request: ChatRequest): number => promptSizeOf(request).textTokens
    const inBody = decoded({ tools: [large], input: [USER] })
    const added = decoded({ input: [USER, adding(large)] })
    expect(sizeOf(added)).toBe(sizeOf(inBody))
    const asFunction = (request: ChatRequest): number => sizeOf(asFunctions(request)?.request ?? request)
    expect(asFunction(added)).toBe(asFunction(inBody))
  })

  test('are looked at for names of the account', () => {
    const request = decoded({ input: [USER, adding({ ...SHELL, file_id: 'file-1' })] })
    expect(findAccountName(request)?.param).toBe('input[1].tools[0].file_id')
  })

  test('of a recorded request are understood, with the calls of them', () => {
    const request = decoded(json('additionalTools.json') as JsonObject)
    expect(namesOf(request)).toEqual(['load_capability', 'lookup_refund_policy'])
    const calls = request.messages.flatMap(({ tool_calls: all = [] }) => all)
    expect(calls.map((call) => call.function.name)).toEqual([
      'load_capability',
      'lookup_refund_policy',
      'lookup_refund_policy',
    ])
  })
})
