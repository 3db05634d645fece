import { type Conversation, asks, says, user } from '../conversation.ts'

const SCRIPTS =
  'Grüße, 世界! こんにちは 안녕 🧜🏽‍♀️🏴󠁧󠁢󠁳󠁣󠁴󠁿 שלום مرحبا \u202Eabc\u202C e\u0301 "quoted" \\ back\nnew line\ttab \u2028 end'

/** Who says what. */
export const MESSAGE_CONVERSATIONS: readonly Conversation[] = [
  asks('a plain question', {}, says('Deep, wide and mostly unexplored.')),
  asks('system and developer instructions', {
    messages: [
      { role: 'system', content: 'You are a sailor.' },
      { role: 'developer', content: [{ type: 'text', text: 'Be brief.' }] },
      user('Where are we?'),
    ],
  }),
  asks('instructions in the middle', {
    messages: [
      { role: 'system', content: 'You are a sailor.' },
      user('Where are we?'),
      { role: 'assistant', content: 'At sea.' },
      { role: 'system', content: 'From now on, speak French.' },
      user('And now?'),
    ],
  }),
  asks('an instruction at the end', {
    messages: [
      user('Where are we?'),
      { role: 'assistant', content: 'At sea.' },
      { role: 'system', content: 'Say it in French.' },
    ],
  }),
  asks('many turns', {
    messages: Array.from({ length: 41 }, (_, turn) => ({
      role: turn % 2 === 0 ? 'user' : 'assistant',
      content: `Turn ${turn}.`,
    })),
  }),
  asks('all scripts of the world', { messages: [user(SCRIPTS)] }, says(SCRIPTS)),
  asks('content in text parts', {
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'Be kind.' }] },
      user([
        { type: 'text', text: 'First.' },
        { type: 'text', text: 'Second.' },
      ]),
      { role: 'assistant', content: [{ type: 'text', text: 'Third.' }] },
      user('Fourth.'),
    ],
  }),
  asks('neighbours of one role', {
    messages: [user('One.'), user('Two.'), { role: 'assistant', content: 'Three.' }, user('Four.')],
  }),
  asks(
    'a begun answer to continue (prefill)',
    { messages: [user('Count to five.'), { role: 'assistant', content: 'One, two,' }] },
    says(' three, four, five.'),
  ),
  asks('a begun answer that ends in white space', {
    messages: [user('Count to five.'), { role: 'assistant', content: 'One, two, ' }],
  }),
  asks('instructions alone', { messages: [{ role: 'system', content: 'Say hello.' }] }),
  asks('an assistant who speaks first', {
    messages: [{ role: 'assistant', content: 'How can I help?' }, user('Tell me about the sea.')],
  }),
  asks('names of speakers', {
    messages: [
      { role: 'user', name: 'ada', content: 'I like the sea.' },
      { role: 'assistant', content: 'Me too.' },
      { role: 'user', name: 'ben', content: 'I do not.' },
    ],
  }),
  asks('`cache_control` on a part', {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'A long book.', cache_control: { type: 'ephemeral' } },
          { type: 'text', text: 'Sum it up.' },
        ],
      },
    ],
  }),
  asks('an unknown field of a message', {
    messages: [
      { role: 'user', content: 'What colour is the sea?' },
      { role: 'assistant', content: 'Blue.', mood: 'calm' },
      { role: 'user', content: 'Why?' },
    ],
  }),
  asks('an unknown field of a part', {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'I like the sea.', mood: 'calm' },
          { type: 'text', text: 'And you?' },
        ],
      },
    ],
  }),
  asks('an earlier refusal', {
    messages: [
      user('Do harm.'),
      { role: 'assistant', content: null, refusal: 'I will not.' },
      user('Good. Do good.'),
    ],
  }),
]
