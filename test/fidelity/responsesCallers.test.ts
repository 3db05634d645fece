import { testRulesFor } from './callersRules.ts'
import { responsesView } from './responsesView.ts'

/** Rules in which a caller of Responses says and reads nothing, each with the reason. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'a seed of 64 bits is sent as it is, or left out by name': 'Responses has no seed',
  'stop sequences are all sent as they are, or refused by name': 'Responses has no stop sequences',
  'a call of the older interface and its result are sent as such, or as a tool call with its result':
    'Responses has no older interface',
  'an answer with fewer choices than were asked for is not taken for the whole answer':
    'a response is the only choice that is asked for',
  'how far a stream has come is known: open until its reason, over with its last frame':
    'only the gateway knows it',
  'a prompt that is reported before the text stays known, with what was cached of it':
    'only the gateway knows it',
}

testRulesFor('Responses', responsesView, ELSEWHERE)
