import { type Differences, dropped, gives, refused, sends } from '../difference.ts'
import {
  alwaysStrict,
  FOREIGN_TO_ALL,
  NO_CACHE_CONTROL,
  NO_OWN_IMAGES,
  TEXT_RESULTS,
  NO_CACHE_WRITES,
  NO_SIGNED_CALLS,
  noReasoningDetails,
  PARALLEL_CALLS,
  REFUSAL_AS_TEXT,
  TEMPERATURE_UP_TO_1,
} from './common.ts'

const ON_OR_OFF = sends('reasoningEffort', 'medium', 'reasoning is on or off; every effort but `none` is on')
const UNSIGNED = noReasoningDetails('reasoning is neither signed nor encrypted')
const COMPLETE = gives('choices[0].finishReason', 'stop', 'filtered answers end like others, with `stop`')

export const COHERE_DIFFERENCES: Differences = {
  ...FOREIGN_TO_ALL,
  'reasoning_effort: minimal': [ON_OR_OFF],
  ...NO_CACHE_CONTROL,
  ...NO_OWN_IMAGES,
  ...TEXT_RESULTS,
  ...NO_SIGNED_CALLS,
  'six stop sequences': refused('stop'),
  'tool_choice: a named function': refused('tool_choice'),
  'parallel_tool_calls: false': dropped('parallel_tool_calls'),
  'a PDF file': refused('messages[0].content[1].type'),
  'the name of a file': refused('messages[0].content[1].type'),
  'response_format: JSON schema': alwaysStrict('name', 'strict'),
  'response_format: JSON schema beside tools': refused('response_format'),
  'an answer stopped by a content filter': [COMPLETE],
  'a refusal in words': [COMPLETE, ...REFUSAL_AS_TEXT],
  top_logprobs: refused('top_logprobs'),
  'several choices (n)': PARALLEL_CALLS,
  'prompt tokens written to a cache': NO_CACHE_WRITES,
  'reasoning_effort: low': [
    ON_OR_OFF,
    gives('usage.reasoningTokens', 0, 'reasoning tokens are not counted apart from the others'),
  ],
  'reasoning_effort: high, signed': [ON_OR_OFF, UNSIGNED],
  'encrypted reasoning': [UNSIGNED],
  'signed reasoning replayed': dropped('messages.reasoning_details'),
  'signed reasoning before a tool call': [UNSIGNED],
  'temperature above 1': TEMPERATURE_UP_TO_1,
  'both penalties': dropped('presence_penalty'),
  'negative penalties': dropped('frequency_penalty'),
  user: dropped('user'),
  safety_identifier: dropped('safety_identifier'),
  prompt_cache_key: dropped('prompt_cache_key'),
  service_tier: dropped('service_tier'),
  prediction: dropped('prediction'),
  'a tool result marked as an error (`is_error`)': dropped('messages.is_error'),
  'tool_choice: allowed tools': refused('tool_choice'),
  'reasoning_effort: max': [ON_OR_OFF],
  'signed reasoning replayed between a tool call and its result': [
    ON_OR_OFF,
    ...dropped('messages.reasoning_details'),
  ],
  'top_p: 0': [sends('topP', 0.01, 'kept within 0.01 and 0.99')],
  'top_p: 1': [sends('topP', 0.99, 'kept within 0.01 and 0.99')],
  'temperature beside reasoning_effort': [ON_OR_OFF],
  'penalties above 1': [
    sends('frequencyPenalty', 1, 'the highest penalty is 1; a higher one is lowered to it'),
  ],
  'a negative seed': dropped('seed'),
}
