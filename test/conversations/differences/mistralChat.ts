import { type Differences, dropped, gives, refused, sends } from '../difference.ts'
import {
  FOREIGN_TO_ALL,
  NO_CACHE_CONTROL,
  NO_OWN_IMAGES,
  TEXT_RESULTS,
  NO_CACHE_WRITES,
  NO_SIGNED_CALLS,
  noReasoningDetails,
  REFUSAL_AS_TEXT,
  TEMPERATURE_UP_TO_1,
} from './common.ts'

export const MISTRAL_DIFFERENCES: Differences = {
  ...FOREIGN_TO_ALL,
  ...NO_CACHE_CONTROL,
  ...NO_OWN_IMAGES,
  ...TEXT_RESULTS,
  ...NO_SIGNED_CALLS,
  'a user message after a tool result': [
    sends(
      'messages',
      [
        { role: 'user', content: [{ type: 'text', text: 'What are weather and tide in Kiel?' }] },
        {
          role: 'assistant',
          tool_calls: [{ name: 'weather', arguments: { city: 'Kiel' }, id: 'call 0' }],
        },
        { role: 'tool', answers: 'call 0', content: 'blue' },
        { role: 'assistant', content: 'OK.' },
        { role: 'user', content: [{ type: 'text', text: 'Never mind.' }] },
      ],
      'an assistant message "OK." is inserted between a tool result and the user',
    ),
  ],
  'a PDF file': refused('messages[0].content[1].type'),
  'the name of a file': refused('messages[0].content[1].type'),
  'a refusal in words': REFUSAL_AS_TEXT,
  logprobs: refused('logprobs'),
  top_logprobs: refused('logprobs'),
  citations: [gives('choices[0].message.annotations', undefined, 'its references have no URL')],
  'prompt tokens written to a cache': NO_CACHE_WRITES,
  'encrypted reasoning': [noReasoningDetails('reasoning is not encrypted')],
  'temperature above 1': TEMPERATURE_UP_TO_1,
  user: dropped('user'),
  safety_identifier: dropped('safety_identifier'),
  service_tier: [sends('extra.service_tier', 'standard_only', '`default` is sent as `standard_only`')],
  'a tool result marked as an error (`is_error`)': dropped('messages.is_error'),
  'tool_choice: allowed tools': refused('tool_choice'),
  'reasoning_effort: max': [sends('reasoningEffort', 'xhigh', 'sent as `xhigh`, the highest')],
  'top_p: 0': [sends('topP', 1e-6, 'raised to 0.000001: 0 is refused')],
  'temperature: 0 and top_p': dropped('top_p'),
  'a negative seed': dropped('seed'),
}
