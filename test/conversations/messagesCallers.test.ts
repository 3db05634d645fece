import { testConversationsOf } from './callersConversations.ts'
import { MESSAGES_DIFFERENCES } from './messagesDifferences.ts'

testConversationsOf(MESSAGES_DIFFERENCES)
