import { testConversationsOf } from './callersConversations.ts'
import { RESPONSES_CALLER_DIFFERENCES } from './responsesDifferences.ts'

testConversationsOf(RESPONSES_CALLER_DIFFERENCES)
