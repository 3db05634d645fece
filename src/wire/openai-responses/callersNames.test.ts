import { describe, expect, test } from 'bun:test'
import { refuse } from '../../core/error.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { inCallersNames } from '../callersNames.ts'
import { callersNames } from './callersNames.ts'
import { decodeRequest } from './decodeRequest.ts'

const BODY: Json = {
  model: 'm',
  instructions: 'Be brief.',
  input: [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'Look' },
        { type: 'input_image', image_url: 'https://example.com/cat.png', detail: 'low' },
        { type: 'input_file', filename: 'a.pdf', file_url: 'https://example.com/a.pdf' },
        { type: 'input_file', filename: 'a.pdf', file_data: 'JVBERi0=' },
      ],
    },
    { type: 'web_search_call', id: 'ws_1' },
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'a' }], encrypted_content: 'gAAAAA' },
    { type: 'reasoning', summary: [], encrypted_content: 'gBBBBB' },
    { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
    { role: 'assistant', content: [{ type: 'output_text', text: 'Well.' }] },
    { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{' },
    { type: 'custom_tool_call', call_id: 'c2', name: 'g', input: 'x' },
    { type: 'function_call_output', call_id: 'c1', output: [{ type: 'input_image', image_url: 'x' }] },
    {
      type: 'additional_tools',
      role: 'developer',
      tools: [{ type: 'web_search' }, { type: 'custom', name: 'g' }, { type: 'shell' }],
    },
    { type: 'shell_call', call_id: 'c3', action: { commands: ['ls'] } },
    { type: 'shell_call_output', call_id: 'c3', output: [{ stdout: 'a', stderr: 'b' }] },
  ],
  tools: [{ type: 'web_search' }, { type: 'function', name: 'f', parameters: {} }],
  include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
}

describe("a caller's own names", () => {
  test('the body of the examples is understood, so that its messages are where the names say', () => {
    const decoded = decodeRequest(BODY)
    expect(decoded.ok && decoded.request.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'assistant',
      'tool',
    ])
  })

  test.each([
    ['messages[0].content', 'instructions'],
    ['messages[1].role', 'input[0].role'],
    ['messages[1].content[1].image_url.url', 'input[0].content[1].image_url'],
    ['messages[1].content[1].image_url.detail', 'input[0].content[1].detail'],
    ['messages[1].content[2].file.file_data', 'input[0].content[2].file_url'],
    ['messages[1].content[3].file.file_data', 'input[0].content[3].file_data'],
    ['messages[1].content[3].file', 'input[0].content[3]'],
    ['messages[1].content[3].type', 'input[0].content[3].type'],
    ['messages[2].content', 'input[5].content[0]'],
    ['messages[2].refusal', 'input[4].content[0]'],
    ['messages[2].reasoning_details[1]', 'input[2]'],
    ['messages[2].reasoning_details[2].data', 'input[3]'],
    ['messages[2].tool_calls[0].function.arguments', 'input[6].arguments'],
    ['messages[2].tool_calls[1].custom.input', 'input[7].input'],
    ['messages[2].tool_calls[1].id', 'input[7].call_id'],
    ['messages[3].tool_call_id', 'input[8].call_id'],
    ['messages[3].content[0].image_url.url', 'input[8].output[0].image_url'],
    ['messages', 'input'],
    ['messages.reasoning_details', 'input[reasoning]'],
    ['messages.content.image_url.detail', 'input.content.detail'],
    ['tools[0].function.parameters', 'tools[1].parameters'],
    ['tools.function.strict', 'tools.strict'],
    ['tools[1].custom.format', 'input[9].tools[1].format'],
    ['tools[2].type', 'input[9].tools[2].type'],
    ['messages[4].tool_calls[0].type', 'input[10].type'],
    ['messages[5].content[1].text', 'input[11].output'],
    ['logprobs', 'include[1]'],
    ['tool_choice.allowed_tools.tools', 'tool_choice.tools'],
    ['tool_choice.function.name', 'tool_choice.name'],
    ['response_format', 'text.format'],
    ['response_format.json_schema.schema.properties', 'text.format.schema.properties'],
    ['reasoning_effort', 'reasoning.effort'],
    ['verbosity', 'text.verbosity'],
    ['max_completion_tokens', 'max_output_tokens'],
    ['top_p', 'top_p'],
  ])('%s is %s', (path, expected) => {
    expect(callersNames(BODY).path(path)).toBe(expected)
  })

  test('a text alone is the input', () => {
    expect(callersNames({ model: 'm', input: 'Hi' }).path('messages[0].content')).toBe('input')
  })

  test('a thought without a secret has no block, so that those behind it keep their names', () => {
    const summary = [{ type: 'summary_text', text: 'a' }]
    const input = [
      { type: 'reasoning', summary },
      { type: 'reasoning', summary, encrypted_content: 'gAAAAA' },
    ]
    expect(callersNames({ model: 'm', input }).path('messages[0].reasoning_details[0]')).toBe('input[1]')
  })

  test('a block that later items repeat is of the first', () => {
    const block = (data: string): JsonObject => ({ type: 'reasoning.encrypted', data, format: 'f' })
    const items = [[block('a')], [block('a'), block('b')]].map((blocks) => ({
      type: 'reasoning',
      summary: [],
      encrypted_content: `tollgate-v1:${JSON.stringify(blocks)}`,
    }))
    const { path } = callersNames({ model: 'm', input: items })
    const details = [0, 1].map((i) => path(`messages[0].reasoning_details[${i}]`))
    expect(details).toEqual(['input[0]', 'input[1]'])
  })

  test('are in the sentence of a refusal, too', () => {
    const refusal = refuse('invalid_request', 'This model does not take content of type `image_url`.', {
      param: 'messages[1].content[1].type',
    })
    expect(inCallersNames(refusal, callersNames(BODY))).toMatchObject({
      message: 'This model does not take content of type `input_image`.',
      param: 'input[0].content[1].type',
    })
  })

  test('no body makes them throw', () => {
    for (const body of [null, [], { input: [{ type: 'reasoning', summary: [1] }, 2] }, { input: {} }]) {
      expect(typeof callersNames(body as Json).path('messages[0].reasoning_details[0]')).toBe('string')
    }
  })
})
