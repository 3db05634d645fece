import { testRulesFor } from './callersRules.ts'
import { messagesView } from './messagesView.ts'

/** Rules in which a caller of Messages says and reads nothing, each with the reason. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'a seed of 64 bits is sent as it is, or left out by name': 'Messages has no seed',
  'what a response format is for is sent, whether its schema has a description or not':
    'a format has no description in Messages',
  'a tool that is not a function, and a choice of it, is sent as it is, or as a function with the text of its input':
    'tools of other kinds are those of the vendor: test/journey/messages.test.ts',
  'a thought that says that another provider signed it is left out by name, or sent where nothing is rewritten':
    'a signature in Messages does not say whose it is',
  'a refusal of an earlier answer stays in the conversation, whatever its content is':
    'an earlier refusal is text in Messages',
  'a call of the older interface and its result are sent as such, or as a tool call with its result':
    'Messages has no older interface',
  'arguments of an earlier call that are not a JSON object are sent as they are, or refused by their place':
    'the input of a call is an object in Messages',
  'a call that is not of a function is sent as it is, or as a call with the text of its input':
    'calls of other kinds are those of the vendor in Messages',
  'an answer with fewer choices than were asked for is not taken for the whole answer':
    'a message is the only choice that is asked for',
  'how far a stream has come is known: open until its reason, over with its last frame':
    'only the gateway knows it',
  'a prompt that is reported before the text stays known, with what was cached of it':
    'only the gateway knows it',
}

testRulesFor('Messages', messagesView, ELSEWHERE)
