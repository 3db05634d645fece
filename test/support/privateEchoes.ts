import { encodeAwsEventStreamFrame } from './awsEventStreamFrame.ts'
import {
  type Act,
  openaiChunk,
  openaiCompletion,
  openaiError,
  openaiUsage,
  raw,
  respond,
  sse,
  stream,
} from './scriptedProvider.ts'

export const PROMPT = 'My "quiet" neighbour & I: buried 40% of the coins/bars under the fig tree'
export const ANSWER = 'Then dig "softly" at dusk + tell 0% of it to anybody in the village'
export const KEY = 'zq7-Marmalade/Key+of=the,house'
export const HEADER = 'Velvet&"Otter" 9/11 = header+secret'
export const QUERY = '2031-copper&kettle/preview=yes'
export const PRIVATE = { prompt: PROMPT, answer: ANSWER, key: KEY, header: HEADER, query: QUERY }
export const SECRETS = { key: KEY, header: HEADER, query: QUERY }

/** Ways to say what must not be repeated; `words` are all private texts, in one encoding. */
export interface Echo {
  readonly name: string
  readonly wire?: string
  readonly stream?: boolean
  readonly act: (words: string) => Act
}

/** The beginning of an answer. */
export const BEGUN = [openaiChunk({ role: 'assistant', content: '' }), openaiChunk({ content: ANSWER })]

const inStatus = (status: number): Echo[] => [
  { name: `a ${status} with OpenAI's body`, act: (words) => openaiError(status, everywhere(words)) },
  {
    name: `a ${status} in HTML`,
    act: (words) => respond({ status, body: `<html><title>${words}</title></html>` }),
  },
  { name: `a ${status} in plain text`, act: (words) => respond({ status, body: words }) },
]

export const ECHOES: readonly Echo[] = [
  ...[400, 401, 403, 404, 413, 429, 500].flatMap(inStatus),
  {
    name: 'a 400 whose words are cut in the middle of a secret',
    act: (words) => respond({ status: 400, body: `${'x '.repeat(985)}${words}` }),
  },
  {
    name: "a 400 with a validator's list",
    act: (words) =>
      respond({ status: 400, body: { detail: [{ loc: ['body', words], msg: words, type: words }] } }),
  },
  ...[
    'openai-chat',
    'openai-responses',
    'anthropic-messages',
    'google-generate',
    'mistral-chat',
    'cohere-chat',
    'bedrock-converse',
  ].flatMap((wire): Echo[] => [
    {
      name: `a 400 of ${wire}`,
      wire,
      act: (words) => respond({ status: 400, headers: amazonHeaders(words), body: anyError(words) }),
    },
    { name: `a 200 of ${wire} that is no answer`, wire, act: (words) => respond({ body: anyError(words) }) },
    {
      name: `a 200 of ${wire} with other fields`,
      wire,
      act: (words) => respond({ body: { choices: words, content: words, message: words, output: words } }),
    },
    {
      name: `a stream of ${wire} with a broken event`,
      wire,
      stream: true,
      act: (words) => stream([sse(`{"${words}`)]),
    },
    {
      name: `a stream of ${wire} with an error event`,
      wire,
      stream: true,
      act: (words) => stream([sse(anyError(words), { event: 'error' })]),
    },
  ]),
  {
    name: 'an exception in a stream of Bedrock',
    wire: 'bedrock-converse',
    stream: true,
    act: (words) =>
      stream(
        [encodeAwsEventStreamFrame({ event: `${words}Exception`, data: JSON.stringify({ message: words }) })],
        {
          headers: { 'content-type': 'application/vnd.amazon.eventstream' },
        },
      ),
  },
  {
    name: 'an error event after the answer began',
    stream: true,
    act: (words) => stream([...BEGUN, { error: everywhere(words) }]),
  },
  {
    name: 'a broken event after the answer began',
    stream: true,
    act: (words) => stream([...BEGUN, sse(`{"choices": ${words}`)]),
  },
  {
    name: 'a finish reason that is none',
    stream: true,
    act: (words) => stream([openaiChunk({}, { finishReason: words })]),
  },
  {
    name: 'a stream that ends with its answer',
    stream: true,
    act: () => stream(BEGUN),
  },
  { name: 'a whole answer that is no JSON', act: (words) => respond({ body: `{"answer": ${words}` }) },
  {
    name: 'an answer with a broken compression',
    act: (words) => respond({ headers: { 'content-encoding': 'gzip' }, body: words }),
  },
  {
    name: 'an answer with an unknown compression',
    act: (words) => respond({ headers: { 'content-encoding': headerSafe(words) }, body: words }),
  },
  {
    name: 'usage that cannot be true',
    act: (words) =>
      respond({
        body: openaiCompletion('ok', {
          usage: { ...openaiUsage(-1, 7), note: words, completion_tokens_details: { [words]: words } },
        }),
      }),
  },
  {
    name: 'a redirect',
    act: (words) =>
      respond({ status: 302, headers: { location: `https://elsewhere.example/?q=${headerSafe(words)}` } }),
  },
  {
    name: 'a content type that is none',
    stream: true,
    act: (words) => respond({ headers: { 'content-type': headerSafe(words) }, body: words }),
  },
  {
    name: 'a reason phrase',
    act: (words) => raw(`HTTP/1.1 500 ${headerSafe(words)}\r\ncontent-length: 0\r\n\r\n`),
  },
  { name: 'bytes that are not HTTP', act: (words) => raw(`${headerSafe(words)}\r\n\r\n`) },
  {
    name: 'a header without a name',
    act: (words) => raw(`HTTP/1.1 200 OK\r\n${headerSafe(words)}\r\n\r\n`),
  },
]

function everywhere(words: string) {
  return { message: words, type: words, code: words, param: words }
}

/** An error body in which every wire format finds something of its own. */
function anyError(words: string) {
  const error = { ...everywhere(words), status: words, details: [{ reason: words, error_code: words }] }
  return {
    error,
    ...everywhere(words),
    object: 'error',
    __type: words,
    detail: [{ loc: [words], msg: words }],
  }
}

function amazonHeaders(words: string) {
  return { 'x-amzn-errortype': headerSafe(words) }
}

function headerSafe(words: string): string {
  return words.replaceAll(/[^\x20-\x7e]/g, '?')
}
