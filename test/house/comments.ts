import { type Place, countComplaints } from './moduleCounts.ts'
import { BANNED } from './plainEnglish.ts'
import type { Tally } from './ratchet.ts'
import type { SourceFile } from './sourceFiles.ts'
import { lineAt, only } from './sourceText.ts'

/** How many phrases that are read twice the comments of each module have. No number may rise. */
export const KNOWN_PHRASES: Tally = {
  'src/cli': 20,
  'src/config': 28,
  'src/core': 84,
  'src/http': 44,
  'src/observe': 12,
  'src/operations': 39,
  'src/pipeline': 57,
  'src/serve': 16,
  'src/store': 115,
  'src/upstream': 40,
  'src/wire': 65,
  'test/contract': 14,
  'test/documents': 11,
  'test/journey': 55,
  'test/long': 37,
  'test/simulation': 20,
  'test/support': 44,
}

/** Phrases of comments, beside those that documents and texts must not have either. */
const BANNED_IN_COMMENTS: typeof BANNED = [
  {
    phrase: /(?:\btells?|(?<!\b(?:is|are|was|were) )\btold)\b(?![^.\n]*\b(?:apart|from)\b)/i,
    instead: 'says, reports, returns, shows',
  },
  { phrase: /\bstands?\b(?!-| (?:alone|for|in|beside|under|on)\b)/i, instead: 'is, is there, applies' },
  { phrase: /\b(?:any|every|some)body\b/i, instead: 'anyone, everyone, someone' },
  { phrase: /\bshall\b|\bought to\b|\blest\b/i, instead: 'must, so that … not' },
  { phrase: /\bin the same breath\b/i, instead: 'together, in the same event' },
  { phrase: /\bat the door\b/i, instead: 'when it arrives; by the admin API' },
  { phrase: /\bcomes? about\b/i, instead: 'happens, is calculated' },
  { phrase: /\bleft alone\b/i, instead: 'not used, unchanged' },
  { phrase: /\bmend(?:s|ed)?\b/i, instead: 'repair, correct' },
]

const PATTERNS = [...BANNED, ...BANNED_IN_COMMENTS].map(({ phrase, instead }) => ({
  // A phrase may go on in the next line.
  pattern: new RegExp(phrase.source.replaceAll(' ', String.raw`\s+`), `g${phrase.flags}`),
  instead,
}))

/**
 * A sentence for each module whose comments have more phrases than it is known for, or fewer.
 * @param changedAt when a file was last changed: the newest ones come first
 */
export function phraseComplaints(
  known: Tally,
  files: readonly SourceFile[],
  changedAt?: (path: string) => number,
): string[] {
  return countComplaints(known, files.flatMap(phrasesInComments), {
    faults: 'phrases that are read twice',
    advice: 'Those of the files that changed last come first:',
    table: 'KNOWN_PHRASES',
    ...(changedAt && { changedAt }),
  })
}

/** The banned phrases in the comments of a file. What is between backticks is code and is not read. */
export function phrasesInComments({ path, text }: SourceFile): Place[] {
  const prose = only(text, ['comment'])
    .replaceAll(/^([^\S\n]*)(?:\/\*\*?|\*\/|\*|\/\/)/gm, blank)
    .replaceAll(/`[^`\n]*`/g, blank)
  return PATTERNS.flatMap(({ pattern, instead }) =>
    [...prose.matchAll(pattern)].map(({ index, 0: phrase }) => ({
      path,
      line: lineAt(prose, index),
      fault: `"${phrase.replaceAll(/\s+/g, ' ').trim()}": write ${instead}`,
    })),
  ).toSorted((a, b) => a.line - b.line)
}

function blank({ length }: string): string {
  return ' '.repeat(length)
}
