import { type CallerDifferences, callerDifferences } from './callerDifferences.ts'
import { messagesCaller } from './callers.ts'
import { type Difference, type Differences, dropped, gives, sends } from './difference.ts'
import { inNamesOf } from './observe.ts'

const UNNAMED = 'a schema has neither a name nor `strict` in Messages'

const UNNAMED_SCHEMA: readonly Difference[] = [
  sends('responseFormat.json_schema.name', 'response', UNNAMED),
  sends('responseFormat.json_schema.strict', undefined, UNNAMED),
]

/** What Messages itself has no words for, whichever provider answers. */
const LOST: Differences = {
  'response_format: JSON schema': UNNAMED_SCHEMA,
  'response_format: JSON schema with an object of any fields': UNNAMED_SCHEMA,
  'response_format: JSON schema that contains itself': UNNAMED_SCHEMA,
  'response_format: JSON schema beside tools': UNNAMED_SCHEMA,
  'signed tool calls': [
    gives('choices[0].message.reasoning_details', undefined, 'the signature of a call is not passed on'),
  ],
}

/** Sent as it is written. */
const AS_WRITTEN: readonly Difference[] = []
/** In Messages every signature counts as one of Claude's. */
const FOREIGN_THOUGHTS = dropped('messages.reasoning_details')

const APART = 'reasoning is a summary, and what is secret of it is apart'
const detail = (field: string, to: string | undefined): Difference =>
  gives(`choices[0].message.reasoning_details[0].${field}`, to, APART)

/** What a provider of Responses says that another one signed. */
const SECRET_APART: readonly Difference[] = [
  detail('type', 'reasoning.encrypted'),
  detail('text', undefined),
  detail('signature', undefined),
  detail('data', 'tollgate-v1:{"type":"reasoning.text","signature":"c2lnbmF0dXJlIG9mIHRoZSB0aG91Z2h0"}'),
]
const SECRET_OF_ANOTHER: readonly Difference[] = [
  detail('data', 'tollgate-v1:{"type":"reasoning.encrypted","data":"c2VjcmV0"}'),
]
const SIGNATURE_APART: readonly Difference[] = [
  detail('id', undefined),
  detail(
    'data',
    'tollgate-v1:{"type":"reasoning.encrypted","id":"call_Weather01","data":"c2lnbmVkIGNhbGw="}',
  ),
]

/** What happens to a caller of Messages in place of what happens to a caller of chat completions, by format and conversation. */
const OTHERWISE: CallerDifferences['otherwise'] = {
  'anthropic-messages': {
    'a begun answer to continue (prefill)': AS_WRITTEN,
    'a begun answer that ends in white space': AS_WRITTEN,
    'response_format: JSON schema with an object of any fields': AS_WRITTEN,
    'response_format: JSON schema that contains itself': AS_WRITTEN,
    'a stop sequence of white space': AS_WRITTEN,
    'temperature and top_p': AS_WRITTEN,
    'temperature: 0 and top_p': AS_WRITTEN,
    'temperature beside reasoning_effort': AS_WRITTEN,
  },
  'openai-responses': {
    'a tool without parameters': AS_WRITTEN,
    'reasoning_effort: low': AS_WRITTEN,
    'reasoning_effort: high, signed': SECRET_APART,
    'signed reasoning before a tool call': SECRET_APART,
    'encrypted reasoning': SECRET_OF_ANOTHER,
    'signed tool calls': SIGNATURE_APART,
  },
  'mistral-chat': {
    'signed reasoning replayed': FOREIGN_THOUGHTS,
    'signed reasoning replayed between a tool call and its result': FOREIGN_THOUGHTS,
  },
}

export const MESSAGES_DIFFERENCES = callerDifferences({
  title: 'Messages',
  caller: messagesCaller,
  lost: LOST,
  otherwise: OTHERWISE,
  inChatNames: inNamesOf,
})
