import { type Conversation, asks, call, calls, says, tool, user } from '../conversation.ts'

const TOOLS = [tool('weather'), tool('tide')]
const ASKED = user('What are weather and tide in Kiel?')
const WEATHER = call('call_Weather01', 'weather', { city: 'Kiel' })
const TIDE = call('call_Tide02', 'tide', { city: 'Kiel', days: [1, 2], exact: true, note: null })

/** Functions that the model may call. */
export const TOOL_CONVERSATIONS: readonly Conversation[] = [
  asks('tools offered and not used', { tools: TOOLS, tool_choice: 'auto' }, says('I know that by heart.')),
  asks('a tool call', { tools: TOOLS, messages: [ASKED] }, calls([WEATHER])),
  asks('text before a tool call', { tools: TOOLS, messages: [ASKED] }, calls([WEATHER], 'Let me look.')),
  asks('parallel tool calls', { tools: TOOLS, messages: [ASKED] }, calls([WEATHER, TIDE])),
  asks(
    'a tool without parameters',
    { tools: [{ type: 'function', function: { name: 'now' } }] },
    calls([call('call_Now03', 'now', {})]),
  ),
  asks(
    'a tool result',
    {
      tools: TOOLS,
      messages: [
        ASKED,
        { role: 'assistant', content: null, tool_calls: [WEATHER] },
        { role: 'tool', tool_call_id: WEATHER.id, content: '{"sky":"blue"}' },
      ],
    },
    says('The sky is blue.'),
  ),
  asks(
    'several tool results, one of them an error',
    {
      tools: TOOLS,
      messages: [
        ASKED,
        { role: 'assistant', content: 'Let me look.', tool_calls: [WEATHER, TIDE] },
        { role: 'tool', tool_call_id: WEATHER.id, content: [{ type: 'text', text: 'blue' }] },
        { role: 'tool', tool_call_id: TIDE.id, content: 'Error: no tide tables for Kiel' },
      ],
    },
    says('The sky is blue, the tide unknown.'),
  ),
  asks('calls made by another provider', {
    tools: TOOLS,
    messages: [
      ASKED,
      {
        role: 'assistant',
        content: '',
        tool_calls: [
          { ...WEATHER, id: 'functions.weather:0' },
          { ...TIDE, id: 'functions.tide:1', function: { name: 'tide', arguments: '' } },
        ],
      },
      { role: 'tool', tool_call_id: 'functions.tide:1', content: 'low' },
      { role: 'tool', tool_call_id: 'functions.weather:0', content: 'blue' },
    ],
  }),
  asks('a user message after a tool result', {
    tools: TOOLS,
    messages: [
      ASKED,
      { role: 'assistant', content: null, tool_calls: [WEATHER] },
      { role: 'tool', tool_call_id: WEATHER.id, content: 'blue' },
      user('Never mind.'),
    ],
  }),
  asks('a tool result marked as an error (`is_error`)', {
    tools: TOOLS,
    messages: [
      ASKED,
      { role: 'assistant', content: null, tool_calls: [WEATHER] },
      { role: 'tool', tool_call_id: WEATHER.id, content: 'no such city', is_error: true },
    ],
  }),
  asks('tool results without tools on offer', {
    messages: [
      ASKED,
      { role: 'assistant', content: null, tool_calls: [WEATHER] },
      { role: 'tool', tool_call_id: WEATHER.id, content: 'blue' },
    ],
  }),
  asks(
    'tool_choice: a named function',
    forced({ type: 'function', function: { name: 'weather' } }),
    calls([WEATHER]),
  ),
  asks('tool_choice: required', forced('required'), calls([WEATHER])),
  asks('tool_choice: none', forced('none'), says('I may not look.')),
  asks(
    'tool_choice: allowed tools',
    forced({
      type: 'allowed_tools',
      allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'weather' } }] },
    }),
    calls([WEATHER]),
  ),
  asks('parallel_tool_calls: false', { tools: TOOLS, parallel_tool_calls: false }, calls([WEATHER])),
  asks('strict tools', { tools: [tool('weather', { strict: true })] }, calls([WEATHER])),
  asks(
    'legacy function messages',
    {
      messages: [
        ASKED,
        {
          role: 'assistant',
          content: null,
          function_call: { name: 'weather', arguments: '{"city":"Kiel"}' },
        },
        { role: 'function', name: 'weather', content: 'blue' },
      ],
      tools: TOOLS,
    },
    says('The sky is blue.'),
  ),
  asks('custom tools', { tools: [{ type: 'custom', custom: { name: 'write' } }] }),
  asks('legacy functions', {
    functions: [{ name: 'weather', parameters: { type: 'object', properties: {} } }],
  }),
]

function forced(choice: Conversation['request'][string]): Conversation['request'] {
  return { tools: TOOLS, tool_choice: choice, messages: [ASKED] }
}
