import { type Differences, dropped, gives, refused, sends } from '../difference.ts'
import {
  alwaysStrict,
  FOREIGN_TO_ALL,
  INSTRUCTIONS_ON_TOP,
  NO_CACHE_WRITES,
  noReasoningDetails,
  PARALLEL_CALLS,
  REFUSAL_AS_TEXT,
  INSTRUCTIONS_AS_USER,
  ALLOWED_TOOLS_OFFERED,
} from './common.ts'

const CALLS_ONLY = [noReasoningDetails('only tool calls are signed, thoughts are not')]

export const GOOGLE_DIFFERENCES: Differences = {
  ...FOREIGN_TO_ALL,
  'instructions in the middle': INSTRUCTIONS_ON_TOP,
  'parallel_tool_calls: false': dropped('parallel_tool_calls'),
  'strict tools': dropped('tools.function.strict'),
  'an image as an http URL': refused('messages[0].content[1].image_url.url'),
  'the detail of an image': dropped('messages.content.image_url.detail'),
  'the name of a file': dropped('messages.content.file.filename'),
  'response_format: JSON schema': alwaysStrict('name', 'strict'),
  'response_format: JSON schema beside tools': alwaysStrict('name', 'strict'),
  'six stop sequences': refused('stop'),
  'a refusal in words': REFUSAL_AS_TEXT,
  'several choices (n)': PARALLEL_CALLS,
  citations: [gives('choices[0].message.annotations', undefined, 'citations are not passed on')],
  'prompt tokens written to a cache': NO_CACHE_WRITES,
  'reasoning_effort: high, signed': CALLS_ONLY,
  'reasoning_effort: none': [sends('reasoningEffort', 'minimal', 'sent as the least that the model can')],
  'encrypted reasoning': CALLS_ONLY,
  'signed reasoning replayed': dropped('messages.reasoning_content', 'messages.reasoning_details'),
  'unsigned reasoning replayed': dropped('messages.reasoning_content'),
  'signed reasoning before a tool call': CALLS_ONLY,
  user: dropped('user'),
  safety_identifier: dropped('safety_identifier'),
  prompt_cache_key: dropped('prompt_cache_key'),
  service_tier: dropped('service_tier'),
  prediction: dropped('prediction'),
  'instructions alone': INSTRUCTIONS_AS_USER,
  'tool_choice: allowed tools': ALLOWED_TOOLS_OFFERED,
  'reasoning_effort: max': [sends('reasoningEffort', 'high', 'sent as `high`, the most there is')],
  'signed reasoning replayed between a tool call and its result': dropped(
    'messages.reasoning_content',
    'messages.reasoning_details',
  ),
}
