import { type Differences, dropped, gives, refused, sends } from '../difference.ts'
import {
  alwaysStrict,
  FOREIGN_TO_ALL,
  NO_CACHE_CONTROL,
  NO_OWN_IMAGES,
  LOW_AT_LEAST,
  INSTRUCTIONS_ON_TOP,
  jsonAsInstruction,
  NO_SIGNED_CALLS,
  PARALLEL_CALLS,
  REFUSAL_AS_TEXT,
  TEMPERATURE_UP_TO_1,
  INSTRUCTION_AS_USER,
  INSTRUCTIONS_AS_USER,
} from './common.ts'

/** Put before an assistant, because a user must begin. */
const OPENING = { role: 'user', content: [{ type: 'text', text: '.' }] }
const NOT_OFFERED = 'the tools are not offered'

export const BEDROCK_DIFFERENCES: Differences = {
  'an instruction at the end': INSTRUCTION_AS_USER,
  'a begun answer to continue (prefill)': refused('messages'),
  'a begun answer that ends in white space': refused('messages'),
  ...FOREIGN_TO_ALL,
  ...NO_CACHE_CONTROL,
  ...NO_OWN_IMAGES,
  ...LOW_AT_LEAST,
  ...NO_SIGNED_CALLS,
  'instructions in the middle': INSTRUCTIONS_ON_TOP,
  'tool results without tools on offer': [
    sends(
      'tools',
      [
        {
          type: 'function',
          function: {
            parameters: { type: 'object', properties: {} },
            name: 'weather',
            description: 'No longer available: do not call it.',
          },
        },
      ],
      'the functions that were called are declared, and described as no longer available',
    ),
  ],
  'tool_choice: none': [sends('tools', undefined, NOT_OFFERED), sends('toolChoice', undefined, NOT_OFFERED)],
  'parallel_tool_calls: false': dropped('parallel_tool_calls'),
  'an image as an http URL': refused('messages[0].content[1].image_url.url'),
  'the detail of an image': dropped('messages.content.image_url.detail'),
  'a PDF file': [
    sends(
      'messages[0].content[1].file.filename',
      'document.pdf',
      'a file without a name is called `document`',
    ),
  ],
  'response_format: JSON schema': alwaysStrict('strict'),
  'response_format: JSON schema with an object of any fields': refused(
    'response_format.json_schema.schema.properties.depth',
  ),
  'response_format: JSON schema that contains itself': refused('response_format.json_schema.schema'),
  'response_format: JSON schema beside tools': alwaysStrict('strict'),
  'response_format: JSON object': jsonAsInstruction('Answer with one JSON object and nothing else.'),
  'a refusal in words': REFUSAL_AS_TEXT,
  logprobs: refused('logprobs'),
  top_logprobs: refused('logprobs'),
  'several choices (n)': PARALLEL_CALLS,
  'reasoning_effort: low': [
    gives('usage.reasoningTokens', 0, 'reasoning tokens are not counted apart from the others'),
  ],
  'reasoning_effort: none': [
    sends('reasoningEffort', undefined, 'nothing is sent: no model there reasons unless asked'),
  ],
  'unsigned reasoning replayed': dropped('messages.reasoning_content'),
  'temperature above 1': TEMPERATURE_UP_TO_1,
  frequency_penalty: dropped('frequency_penalty'),
  presence_penalty: dropped('presence_penalty'),
  'both penalties': dropped('frequency_penalty', 'presence_penalty'),
  'negative penalties': dropped('frequency_penalty'),
  seed: dropped('seed'),
  user: dropped('user'),
  safety_identifier: dropped('safety_identifier'),
  prompt_cache_key: dropped('prompt_cache_key'),
  prediction: dropped('prediction'),
  'instructions alone': INSTRUCTIONS_AS_USER,
  'an assistant who speaks first': [
    sends(
      'messages',
      [
        OPENING,
        { role: 'assistant', content: 'How can I help?' },
        { role: 'user', content: [{ type: 'text', text: 'Tell me about the sea.' }] },
      ],
      'a user message "." is inserted first, because Bedrock requires one',
    ),
  ],
  'tool_choice: allowed tools': refused('tool_choice'),
  'penalties above 1': dropped('frequency_penalty'),
  'a negative seed': dropped('seed'),
}
