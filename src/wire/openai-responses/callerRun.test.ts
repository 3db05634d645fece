import { describe, expect, test } from 'bun:test'
import type { ChatRequest } from '../../core/chat/request.ts'
import type { JsonObject } from '../../core/json.ts'
import { promptSizeOf } from '../../core/promptSize.ts'
import { estimateTokens } from '../../core/tokenEstimate.ts'
import { responsesFrames } from '../../../test/support/responsesFrames.ts'
import { decodeRequest } from './decodeRequest.ts'
import { decodeResponse } from './decodeResponse.ts'
import { decodeStream } from './decodeStream.ts'

const USER = { role: 'user', content: 'Hi' }
const CALLS: readonly JsonObject[] = [
  {
    type: 'local_shell_call',
    id: 'l',
    call_id: 'c1',
    action: { type: 'exec', command: ['ls'], env: {} },
    status: 'completed',
  },
  { type: 'shell_call', call_id: 'c2', action: { commands: ['ls'] }, environment: { type: 'local' } },
  {
    type: 'apply_patch_call',
    call_id: 'c3',
    operation: { type: 'delete_file', path: 'a' },
    status: 'completed',
  },
]
const RESULTS: readonly JsonObject[] = [
  { type: 'local_shell_call_output', id: 'c1', output: 'a' },
  {
    type: 'shell_call_output',
    call_id: 'c2',
    output: [{ stdout: 'a', stderr: 'b', outcome: { type: 'exit', exit_code: 0 } }],
  },
  { type: 'apply_patch_call_output', call_id: 'c3', status: 'completed' },
]

function decoded(body: JsonObject): ChatRequest {
  const result = decodeRequest({ model: 'm', input: 'Hi', ...body })
  if (!result.ok) throw new Error(result.refusal.message)
  return result.request
}

describe('a tool that the caller runs', () => {
  test.each<JsonObject>([
    { type: 'local_shell' },
    { type: 'shell' },
    { type: 'shell', environment: null },
    { type: 'shell', environment: { type: 'local', skills: [] } },
    { type: 'apply_patch' },
  ])('is a tool of the request, for providers of the format alone: %j', (tool) => {
    const request = decoded({
      tools: [{ type: 'web_search' }, tool],
      tool_choice: { type: tool['type'] ?? '' },
    })
    expect(request).toMatchObject({
      tools: [tool],
      toolChoice: { type: tool['type'] },
      nativeOnly: {
        param: 'tools[0].type',
        message: expect.stringContaining(`\`${tool['type'] as string}\``),
      },
    })
  })

  test('may be among the allowed ones', () => {
    const choice = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'shell' }] }
    expect(decoded({ tools: [{ type: 'shell' }], tool_choice: choice }).toolChoice).toEqual({
      type: 'allowed_tools',
      allowed_tools: { mode: 'auto', tools: [{ type: 'shell' }] },
    })
  })
})

describe('the items of such tools', () => {
  test('are calls of one turn and their results', () => {
    const { messages, nativeOnly } = decoded({ input: [USER, ...CALLS, ...RESULTS] })
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'tool'])
    expect(messages[1]?.tool_calls?.map(({ id, type }) => [id, type])).toEqual([
      ['c1', 'local_shell_call'],
      ['c2', 'shell_call'],
      ['c3', 'apply_patch_call'],
    ])
    expect(messages.slice(2).map(({ tool_call_id: id, content }) => [id, content])).toEqual([
      ['c1', 'a'],
      [
        'c2',
        [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      ],
      ['c3', ''],
    ])
    expect(nativeOnly?.param).toBe('input[1].type')
  })

  test.each([...CALLS, ...RESULTS])('are counted with all that they say, once: %j', (item) => {
    const size = (more: JsonObject): number =>
      promptSizeOf(decoded({ input: [USER, { ...item, ...more }] })).textTokens
    const words = 'word '.repeat(1_000)
    const fields: JsonObject[] = [
      { odd: words },
      ...('action' in item ? [{ action: { commands: [words] } }] : []),
      ...('operation' in item ? [{ operation: { diff: words } }] : []),
      ...('output' in item && Array.isArray(item['output'])
        ? [{ output: [{ stdout: words, odd: '' }] }]
        : []),
    ]
    for (const field of fields) {
      const grown = size(field) - size({})
      expect(grown).toBeGreaterThan(estimateTokens(words) * 0.9)
      expect(grown).toBeLessThan(estimateTokens(words) * 1.1)
    }
  })

  test.each(CALLS)('in an answer are calls, so that the answer ends with them: %j', (item) => {
    const response = { id: 'r', status: 'completed', output: [item] }
    expect(decodeResponse(response).choices[0]?.finishReason).toBe('tool_calls')
    const decoder = decodeStream(1)
    const events = [...responsesFrames(response).flatMap((frame) => decoder.push(frame)), ...decoder.end()]
    expect(events.find(({ type }) => type === 'finish')).toMatchObject({ reason: 'tool_calls' })
  })
})
