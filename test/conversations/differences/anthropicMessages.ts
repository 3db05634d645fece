import { type Differences, dropped, refused, sends } from '../difference.ts'
import {
  alwaysStrict,
  FOREIGN_TO_ALL,
  INSTRUCTIONS_ON_TOP,
  jsonAsInstruction,
  NO_SIGNED_CALLS,
  PARALLEL_CALLS,
  TEMPERATURE_UP_TO_1,
  INSTRUCTIONS_AS_USER,
  ALLOWED_TOOLS_OFFERED,
} from './common.ts'

const USER_ID = 'sent as the id of the user'

export const ANTHROPIC_DIFFERENCES: Differences = {
  ...FOREIGN_TO_ALL,
  ...NO_SIGNED_CALLS,
  'instructions in the middle': INSTRUCTIONS_ON_TOP,
  'the detail of an image': dropped('messages.content.image_url.detail'),
  'response_format: JSON schema': alwaysStrict('name', 'strict'),
  'response_format: JSON schema beside tools': alwaysStrict('name', 'strict'),
  'response_format: JSON object': jsonAsInstruction(
    'Answer with one valid JSON object and nothing else: no prose, no code fence.',
  ),
  'a stop sequence of white space': refused('stop'),
  logprobs: refused('logprobs'),
  top_logprobs: refused('logprobs'),
  'several choices (n)': PARALLEL_CALLS,
  'unsigned reasoning replayed': dropped('messages.reasoning_content'),
  'temperature above 1': TEMPERATURE_UP_TO_1,
  'temperature and top_p': dropped('top_p'),
  frequency_penalty: dropped('frequency_penalty'),
  presence_penalty: dropped('presence_penalty'),
  'both penalties': dropped('frequency_penalty', 'presence_penalty'),
  'negative penalties': dropped('frequency_penalty'),
  seed: dropped('seed'),
  safety_identifier: [sends('extra.safety_identifier', undefined, USER_ID), sends('user', 'ada', USER_ID)],
  prompt_cache_key: dropped('prompt_cache_key'),
  service_tier: dropped('service_tier'),
  prediction: dropped('prediction'),
  'a begun answer that ends in white space': [
    sends('messages[1].content', 'One, two,', 'its last white space is left out'),
  ],
  'instructions alone': INSTRUCTIONS_AS_USER,
  'tool_choice: allowed tools': ALLOWED_TOOLS_OFFERED,
  'temperature: 0 and top_p': dropped('top_p'),
  'temperature beside reasoning_effort': dropped('temperature'),
  'penalties above 1': dropped('frequency_penalty'),
  'a negative seed': dropped('seed'),
}
