/**
 * What the demo provider can say. Every piece (a word with the space before it, a punctuation mark) is
 * exactly one token of o200k, so that its text can be cut at any number of tokens.
 */
export const OPENINGS = [
  'Here is one way to look at it',
  'That is a good question',
  'There is a simple way to think about this',
  'It helps to take this one step at a time',
  'Let us begin with what we know',
] as const

export const SUBJECTS = [
  'the first part',
  'a small example',
  'the main idea',
  'most of the work',
  'a careful reader',
  'the short answer',
  'every good plan',
  'the rest of the story',
] as const

export const VERBS = [
  'depends on',
  'begins with',
  'comes from',
  'leads to',
  'makes room for',
  'is worth',
  'points to',
  'needs',
] as const

export const OBJECTS = [
  'a clear goal',
  'the people who use it',
  'a little more time',
  'what you want to measure',
  'one honest number',
  'the right question',
  'a second look',
  'the cost of being wrong',
] as const

export const ENDINGS = [
  'and that is usually enough',
  'so it is best to start small',
  'which is easy to test',
  'but the details matter',
  'and the next step follows from there',
  'even when the data is not complete',
] as const
