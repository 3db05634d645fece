import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../core/json.ts'
import { decodeRequest } from './decodeRequest.ts'

const PROMPT = { role: 'user', content: [{ type: 'input_text', text: 'Do it.' }] }
const CALL = { type: 'function_call', call_id: 'call_1', name: 'edit', arguments: '{}' }
const OUTPUT = { type: 'function_call_output', call_id: 'call_1', output: 'done' }
const FUNCTION = { type: 'function', name: 'edit', parameters: { type: 'object' }, strict: false }
const SAID = {
  type: 'message',
  status: 'completed',
  id: 'msg_1',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Well.', annotations: [], logprobs: [] }],
}
const THOUGHT = {
  type: 'reasoning',
  id: 'rs_1',
  summary: [{ type: 'summary_text', text: 'Hm.' }],
  content: null,
  encrypted_content: 'gAAAAA',
}

/** Second turns as agents send them, after one tool call: their shapes, with other words. */
const BODIES: Readonly<Record<string, JsonObject>> = {
  codex: {
    input: [
      { type: 'message', id: 'msg_a', role: 'developer', content: [{ type: 'input_text', text: 'D' }] },
      { type: 'message', id: 'msg_b', ...PROMPT },
      THOUGHT,
      SAID,
      { ...CALL, type: 'custom_tool_call', id: 'ctc_1', status: 'completed', input: 'x', arguments: null },
      { type: 'custom_tool_call_output', id: 'ctco_1', call_id: 'call_1', output: 'done' },
    ],
    tools: [
      FUNCTION,
      { type: 'custom', name: 'edit', format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' } },
      { type: 'tool_search', execution: 'client', parameters: {} },
      { type: 'web_search', external_web_access: true, search_content_types: ['text', 'image'] },
    ],
    tool_choice: 'auto',
    parallel_tool_calls: true,
    reasoning: { effort: 'medium' },
    store: false,
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: 'k',
    text: { verbosity: 'low' },
    client_metadata: { session_id: 's' },
    stream: true,
  },
  opencode: {
    input: [
      { role: 'developer', content: 'D' },
      PROMPT,
      { type: 'reasoning', encrypted_content: 'gAAAAA', summary: [] },
      { role: 'assistant', content: [{ type: 'output_text', text: 'Well.' }] },
      CALL,
      OUTPUT,
    ],
    max_output_tokens: 32_000,
    text: { verbosity: 'low' },
    store: false,
    include: ['reasoning.encrypted_content'],
    prompt_cache_key: 'ses_1',
    reasoning: { effort: 'medium', summary: 'auto' },
    tools: [FUNCTION],
    tool_choice: 'auto',
    stream: true,
  },
  qwen: {
    input: [PROMPT, { type: 'message', role: 'assistant', content: 'Well.' }, CALL, OUTPUT],
    instructions: 'Be brief.',
    stream: true,
    prompt_cache_key: 'qwen-code:1',
    store: false,
    tool_choice: 'auto',
    parallel_tool_calls: true,
    max_output_tokens: 64_000,
    tools: [FUNCTION],
  },
  pi: {
    input: [{ role: 'developer', content: 'D' }, PROMPT, THOUGHT, { ...CALL, id: 'fc_1' }, OUTPUT],
    prompt_cache_key: 'k',
    store: false,
    max_output_tokens: 32_000,
    tools: [FUNCTION],
    reasoning: { effort: 'medium', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
    stream: true,
  },
  cline: {
    input: [PROMPT, SAID, CALL, OUTPUT],
    include: ['web_search_call.action.sources'],
    truncation: 'auto',
    tools: [{ type: 'web_search' }, { type: 'image_generation' }, FUNCTION],
    stream: true,
  },
  continue: {
    input: [{ role: 'developer', content: 'D' }, PROMPT, { ...SAID, id: 'msg_0000' }, CALL, OUTPUT],
    stream: true,
    tools: [{ ...FUNCTION, strict: null }],
    parallel_tool_calls: false,
  },
  '@openai/agents': {
    instructions: 'Be brief.',
    input: [PROMPT, { type: 'reasoning', id: 'rs_1', summary: [] }, CALL, { ...OUTPUT, status: 'completed' }],
    include: [],
    tools: [{ ...FUNCTION, strict: true }],
    stream: true,
    text: { verbosity: 'low' },
    reasoning: { effort: 'none' },
  },
  langchain: {
    input: [PROMPT, THOUGHT, SAID, { ...CALL, id: 'fc_1' }, OUTPUT],
    text: {},
    tools: [{ ...FUNCTION, strict: null }],
  },
}

/** The names that each gets of what is left out. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  codex: ['client_metadata', 'tools[tool_search]', 'tools[web_search]'],
  opencode: ['reasoning.summary'],
  pi: ['reasoning.summary'],
  cline: [
    'truncation',
    'include[web_search_call.action.sources]',
    'tools[web_search]',
    'tools[image_generation]',
  ],
  '@openai/agents': ['input[reasoning]'],
}

describe('what agents send', () => {
  test.each(Object.keys(BODIES))('%s is understood, and named what is left out', (agent) => {
    const result = decodeRequest({ model: 'm', ...BODIES[agent] })
    if (!result.ok) throw new Error(result.refusal.message)
    expect(result.request.unknownFields ?? []).toEqual(LEFT_OUT[agent] ?? [])
    const { messages } = result.request
    const [call] = messages.findLast(({ role }) => role === 'assistant')?.tool_calls ?? []
    expect(messages.at(-1)).toEqual({ role: 'tool', tool_call_id: 'call_1', content: 'done' })
    expect(call?.id).toBe('call_1')
  })

  test.each(['ai', 'mastra'])('%s is refused by name while nothing is kept', () => {
    const input = [PROMPT, { type: 'item_reference', id: 'rs_1' }, CALL, OUTPUT]
    const result = decodeRequest({ model: 'm', input, stream: true })
    expect(result).toMatchObject({ ok: false, refusal: { param: 'input[1]' } })
  })
})
