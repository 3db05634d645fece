import { OUTPUT_TOKENS_MAX } from '../meaning.ts'
import { type Difference, type Differences, dropped, gives, refused, sends } from '../difference.ts'
import { tool } from '../conversation.ts'

/** The gateway's own, for every provider. */
export const EVERYWHERE: Differences = {
  'max_tokens above the limit of the model': [
    sends('maxTokens', OUTPUT_TOKENS_MAX, 'lowered to the limit of the model'),
  ],
  // What has no price is not sold.
  audio: refused('messages[0].content[0].type'),
  'a service_tier of another price': refused('service_tier'),
  web_search_options: refused('web_search_options'),
  'answers in audio': refused('modalities'),
}

const UNKNOWN_LEFT_OUT = 'it is left out, and the header does not name it'

/** Of formats in which a cache is not asked for. */
export const NO_CACHE_CONTROL: Differences = {
  '`cache_control` on a part': [sends('messages[0].content[0].cache_control', undefined, UNKNOWN_LEFT_OUT)],
}

/** Of formats whose models make no images. */
export const NO_OWN_IMAGES: Differences = {
  'an image that the model made, sent back': dropped('messages.images'),
}

/** Of formats whose tool results are text. */
export const TEXT_RESULTS: Differences = { 'an image in a tool result': refused('messages[2].content') }

export const LOW_AT_LEAST: Differences = {
  'reasoning_effort: minimal': [sends('reasoningEffort', 'low', 'sent as `low`, the lowest')],
}

const AS_FUNCTION =
  'each is sent as a function with the text `input`, described with its grammar, and called as a custom tool'

const CUSTOM_AS_FUNCTION: readonly Difference[] = [
  sends('tools[0].type', 'function', AS_FUNCTION),
  sends('tools[0].custom', undefined, AS_FUNCTION),
  sends(
    'tools[0].function',
    {
      name: 'write',
      description: 'Give the whole input of this tool as the text of the argument `input`.',
      parameters: {
        type: 'object',
        properties: { input: { type: 'string', description: 'The whole input, as plain text.' } },
        required: ['input'],
      },
    },
    AS_FUNCTION,
  ),
]

/** What no format but OpenAI's own takes. */
export const FOREIGN_TO_ALL: Differences = {
  ...EVERYWHERE,
  'custom tools': CUSTOM_AS_FUNCTION,
  'names of speakers': dropped('messages.name'),
  'legacy functions': refused('functions'),
  logit_bias: dropped('logit_bias'),
  'metadata and store': dropped('metadata', 'store'),
  verbosity: dropped('verbosity'),
  'an unknown field of a message': [sends('messages[1].mood', undefined, UNKNOWN_LEFT_OUT)],
  'an unknown field of a part': [sends('messages[0].content[0].mood', undefined, UNKNOWN_LEFT_OUT)],
  'an earlier refusal': [
    sends('messages[1].refusal', undefined, 'the refusal is sent as plain text'),
    sends('messages[1].content', 'I will not.', 'the refusal is sent as plain text'),
  ],
}

/** Of formats whose instructions are separate from the conversation. */
export const INSTRUCTIONS_ON_TOP: readonly Difference[] = [
  sends(
    'messages',
    [
      { role: 'system', content: 'You are a sailor.\n\nFrom now on, speak French.' },
      { role: 'user', content: [{ type: 'text', text: 'Where are we?' }] },
      { role: 'assistant', content: 'At sea.' },
      { role: 'user', content: [{ type: 'text', text: 'And now?' }] },
    ],
    'all instructions are moved to the top, in their order',
  ),
]

const AS_USER = 'instructions without a conversation are sent as a user message'

export const INSTRUCTIONS_AS_USER: readonly Difference[] = [
  sends('messages[0].role', 'user', AS_USER),
  sends('messages[0].content', [{ type: 'text', text: 'Say hello.' }], AS_USER),
]

const LAST_AS_USER = 'an instruction at the end is sent as a message of the user'

export const INSTRUCTION_AS_USER: readonly Difference[] = [
  sends('messages[2].role', 'user', LAST_AS_USER),
  sends('messages[2].content', [{ type: 'text', text: 'Say it in French.' }], LAST_AS_USER),
]

const ALLOWED_ONLY = 'only the allowed tools are offered'

export const ALLOWED_TOOLS_OFFERED: readonly Difference[] = [
  sends('tools', [tool('weather')], ALLOWED_ONLY),
  sends('toolChoice', undefined, ALLOWED_ONLY),
]

export const TEMPERATURE_UP_TO_1: readonly Difference[] = [
  sends('temperature', 1, 'the highest temperature is 1; a higher one is lowered to it'),
]

export const PARALLEL_CALLS: readonly Difference[] = [
  gives('usage.promptTokens', 80, 'each choice is a call of its own, and each pays for the prompt'),
]

export const REFUSAL_AS_TEXT: readonly Difference[] = [
  gives('choices[0].message.refusal', undefined, 'a refusal is sent as the content'),
  gives('choices[0].message.content', 'I cannot help with that.', 'a refusal is sent as the content'),
]

export const NO_CACHE_WRITES: readonly Difference[] = [
  gives('usage.cacheWriteTokens', 0, 'tokens written to a cache are not reported'),
]

export const NO_SIGNED_CALLS: Differences = {
  'signed tool calls': [
    gives('choices[0].message.reasoning_details', undefined, 'tool calls are not signed'),
  ],
  'signed tool calls replayed': dropped('messages.reasoning_details'),
}

/** @param lost what of the schema's frame the provider does not receive */
export function alwaysStrict(...lost: readonly ('name' | 'strict')[]): readonly Difference[] {
  const how = lost.includes('name')
    ? 'every schema is strict; its name is not sent'
    : 'every schema is strict'
  return lost.map((field) =>
    sends(`responseFormat.json_schema.${field}`, field === 'name' ? 'response' : undefined, how),
  )
}

export function jsonAsInstruction(instruction: string): readonly Difference[] {
  const how = 'asked for by an instruction in words'
  return [
    sends('responseFormat', undefined, how),
    sends(
      'messages',
      [
        { role: 'system', content: instruction },
        { role: 'user', content: [{ type: 'text', text: 'Tell me about the sea.' }] },
      ],
      how,
    ),
  ]
}

export function noReasoningDetails(how: string): Difference {
  return gives('choices[0].message.reasoning_details', undefined, how)
}
