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
