import { describe, expect, test } from 'bun:test'
import { chatRequest, functionCall } from '../../test/support/chatSamples.ts'
import type { Message, Tool, ToolCall, ToolChoice } from '../core/chat/request.ts'
import { asFunctions, refuseSharedNames } from './customTools.ts'

const WEATHER: Tool = { type: 'function', function: { name: 'weather' } }

function custom(name: string, more: object = {}): Tool {
  return { type: 'custom', custom: { name, ...more } }
}

function customCall(id: string, name: string, input: string): ToolCall {
  return { id, type: 'custom', custom: { name, input } } as unknown as ToolCall
}

test('a request without custom tools, or calls of them, is no other', () => {
  const messages: Message[] = [
    { role: 'assistant', content: null, tool_calls: [functionCall('a', 'weather', '{}')] },
  ]
  expect(asFunctions(chatRequest({ tools: [WEATHER], toolChoice: 'required', messages }))).toBeUndefined()
})

describe('a custom tool', () => {
  test('is a function with one text, described with its grammar in full; other tools stay', () => {
    const grammar = { syntax: 'lark', definition: 'start: "a"\nB: /b/' }
    const patch = custom('patch', { description: 'Edits files.', format: { type: 'grammar', grammar } })
    const given = asFunctions(chatRequest({ tools: [WEATHER, patch, custom('sh')] }))
    const [weather, edit, shell] = given?.request.tools ?? []
    expect(weather).toBe(WEATHER)
    expect(edit).toMatchObject({
      type: 'function',
      function: {
        name: 'patch',
        parameters: { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] },
      },
    })
    expect(edit?.function?.description).toMatch(
      /^Edits files\.\n\nThe input must match this grammar \(lark\):\nstart: "a"\nB: \/b\/\n\n.*`input`\.$/,
    )
    expect(shell?.function?.description).toMatch(/^Give .*`input`\.$/)
    expect(edit).not.toHaveProperty('custom')
    expect(given?.names.custom).toEqual(new Set(['patch', 'sh']))
  })

  test('of a regular expression says so', () => {
    const grammar = { syntax: 'regex', definition: '[a-z]+' }
    const given = asFunctions(
      chatRequest({ tools: [custom('word', { format: { type: 'grammar', grammar } })] }),
    )
    expect(given?.request.tools?.[0]?.function?.description).toContain('regular expression:\n[a-z]+\n')
  })

  test.each<[string, ToolChoice, ToolChoice]>([
    ['named', { type: 'custom', custom: { name: 'sh' } }, { type: 'function', function: { name: 'sh' } }],
    [
      'among those allowed',
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [custom('sh'), WEATHER] },
      },
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'sh' } }, WEATHER] },
      },
    ],
    ['not chosen', 'required', 'required'],
  ])('%s by tool_choice is the function there', (_, toolChoice, sent) => {
    const given = asFunctions(chatRequest({ tools: [custom('sh'), WEATHER], toolChoice }))
    expect(given?.request.toolChoice).toEqual(sent)
  })

  test('may not have the name of another tool', () => {
    expect(() => refuseSharedNames([WEATHER, custom('weather')])).toThrow(
      expect.objectContaining({ param: 'tools[1].custom.name' }),
    )
    expect(() => refuseSharedNames([WEATHER, WEATHER, custom('sh')])).not.toThrow()
  })
})

test('earlier calls are calls of the functions, with the ids that their results have', () => {
  const messages: Message[] = [
    { role: 'user', content: 'Hi' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [customCall('a', 'sh', 'echo "ß"\n'), functionCall('b', 'weather', '{"city":"Oslo"}')],
    },
    { role: 'tool', tool_call_id: 'a', content: 'ß' },
  ]
  const sent = asFunctions(chatRequest({ messages }))?.request.messages
  expect(sent?.[0]).toBe(messages[0] as Message)
  expect(sent?.[1]?.tool_calls).toEqual([
    functionCall('a', 'sh', JSON.stringify({ input: 'echo "ß"\n' })),
    functionCall('b', 'weather', '{"city":"Oslo"}'),
  ])
  expect(sent?.[2]).toBe(messages[2] as Message)
})

test('a name may go on where a custom tool begins like it, and another tool with more', () => {
  const named = ['sh', 'patch', 'patch_all'].map((name) => custom(name))
  const names = asFunctions(chatRequest({ tools: [WEATHER, ...named] }))?.names
  const beginnings = ['', 's', 'sh', 'p', 'patch', 'patch_', 'patch_all', 'patch_all_', 'w', 'weather', 'x']
  expect(beginnings.filter((each) => names?.mayGoOn(each))).toEqual(['', 's', 'p', 'patch', 'patch_'])
})
