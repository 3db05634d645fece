import { type Differences, dropped, gives, refused, sends } from '../difference.ts'
import { EVERYWHERE, NO_OWN_IMAGES, PARALLEL_CALLS } from './common.ts'

const UNKNOWN_LEFT_OUT = 'it is left out, and the header does not name it'
const AT_PLACE = 'a piece of reasoning names its place among the items of the answer'
const IN_SUMMARY = 'reasoning is a summary, and what is secret of it is apart'
const EMPTY_SCHEMA = 'it is sent with a schema without properties'

const THOUGHT = 'The user asks about the sea. I know the sea.'
const SUMMARY = { type: 'reasoning.summary', summary: THOUGHT, index: 0 }
/** What another provider signed: no provider of this format says it. */
const SIGNED = {
  type: 'reasoning.encrypted',
  data: 'tollgate-v1:{"type":"reasoning.text","signature":"c2lnbmF0dXJlIG9mIHRoZSB0aG91Z2h0"}',
  index: 0,
}

export const RESPONSES_DIFFERENCES: Differences = {
  ...EVERYWHERE,
  ...NO_OWN_IMAGES,
  'names of speakers': dropped('messages.name'),
  '`cache_control` on a part': [sends('messages[0].content[0].cache_control', undefined, UNKNOWN_LEFT_OUT)],
  'an unknown field of a message': [sends('messages[1].mood', undefined, UNKNOWN_LEFT_OUT)],
  'an unknown field of a part': [sends('messages[0].content[0].mood', undefined, UNKNOWN_LEFT_OUT)],
  'a tool without parameters': [
    sends('tools[0].function.parameters.required', [], EMPTY_SCHEMA),
    sends('tools[0].function.parameters.additionalProperties', false, EMPTY_SCHEMA),
  ],
  'a tool result marked as an error (`is_error`)': dropped('messages.is_error'),
  'legacy functions': refused('functions'),
  'a PDF file': [
    sends('messages[0].content[1].file.filename', 'document.pdf', 'a file without a name is sent with one'),
  ],
  'stop sequences': refused('stop'),
  'six stop sequences': refused('stop'),
  'a stop sequence of white space': refused('stop'),
  'several choices (n)': PARALLEL_CALLS,
  'reasoning_effort: low': [gives('choices[0].message.reasoning_details', [SUMMARY], IN_SUMMARY)],
  'reasoning_effort: high, signed': [
    gives('choices[0].message.reasoning_details', [SUMMARY, SIGNED], IN_SUMMARY),
  ],
  'signed reasoning before a tool call': [
    gives('choices[0].message.reasoning_details', [SUMMARY, SIGNED], IN_SUMMARY),
  ],
  'encrypted reasoning': [
    gives(
      'choices[0].message.reasoning_details[0].data',
      'tollgate-v1:{"type":"reasoning.encrypted","data":"c2VjcmV0"}',
      IN_SUMMARY,
    ),
    gives('choices[0].message.reasoning_details[0].index', 0, AT_PLACE),
  ],
  'signed tool calls': [
    gives('choices[0].message.reasoning_details[0].id', undefined, 'tool calls are not signed'),
    gives(
      'choices[0].message.reasoning_details[0].data',
      'tollgate-v1:{"type":"reasoning.encrypted","id":"call_Weather01","data":"c2lnbmVkIGNhbGw="}',
      'tool calls are not signed',
    ),
    gives('choices[0].message.reasoning_details[0].index', 0, AT_PLACE),
  ],
  'signed reasoning replayed': dropped('messages.reasoning_details', 'messages.reasoning_content'),
  'signed reasoning replayed between a tool call and its result': dropped(
    'messages.reasoning_details',
    'messages.reasoning_content',
  ),
  'unsigned reasoning replayed': dropped('messages.reasoning_content'),
  'signed tool calls replayed': dropped('messages.reasoning_details'),
  frequency_penalty: dropped('frequency_penalty'),
  presence_penalty: dropped('presence_penalty'),
  'both penalties': dropped('frequency_penalty', 'presence_penalty'),
  'negative penalties': dropped('frequency_penalty'),
  'penalties above 1': dropped('frequency_penalty'),
  seed: dropped('seed'),
  'a negative seed': dropped('seed'),
  logit_bias: dropped('logit_bias'),
  'metadata and store': dropped('store'),
  prediction: dropped('prediction'),
}
