/** Phrases that readers from other countries read twice, and what to write instead. */
export const BANNED: readonly { readonly phrase: RegExp; readonly instead: string }[] = [
  { phrase: /\bnobody\b/i, instead: 'no one; of a name or a field: unknown' },
  { phrase: /\bwhoever\b/i, instead: 'who it is: the caller, the operator, anyone who' },
  { phrase: /\bdear(?:er|est)\b/i, instead: 'more expensive, most expensive' },
  { phrase: /\bhears?\b|\b(?:is|are|was|were) told\b/i, instead: 'receives, gets; or say who tells it' },
  { phrase: /\bthe house\b|\brooms\b/i, instead: 'the architecture, modules; the operator' },
  { phrase: /\bin force\b/i, instead: 'valid, current, in use' },
  { phrase: /\bstrangers?\b/i, instead: 'outsiders, others' },
  { phrase: /\b(?:we|us|our|ours)\b/, instead: 'the gateway, you, the operator' },
  { phrase: /\bat once\b/i, instead: 'immediately, or at the same time' },
  {
    phrase: /(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|larger\b|more\b|other\b|such\b)/i,
    instead: 'is not a',
  },
  { phrase: /\bbears\b|\bborne\b|\bbefell\b/i, instead: 'pays, happened to' },
  { phrase: /\breckon/i, instead: 'calculate, count' },
  { phrase: /\bstands? (?:in|beside|under|on)\b/i, instead: 'is in, is next to' },
  { phrase: /\bbroken off\b/i, instead: 'interrupted' },
  { phrase: /\bcarr(?:y|ies|ied)\b/i, instead: 'contains, passes on' },
  { phrase: /\bmade good\b|\bmakes good\b/i, instead: 'repaired, repeated' },
  { phrase: /\bfor want of\b/i, instead: 'because … is missing' },
  { phrase: /\bon the spot\b/i, instead: 'on the database itself' },
  { phrase: /\bfor ever\b/i, instead: 'without a limit in time' },
  { phrase: /\bfinds? fault\b/i, instead: 'rejects' },
  { phrase: /\banew\b/i, instead: 'again' },
  { phrase: /\btwins?\b|\bveil/i, instead: 'duplicate; hide' },
  { phrase: /\bhence\b|\bthereby\b|\bthereof\b|\bwhereof\b|\bherein\b/i, instead: 'so, by this' },
]

export interface Finding {
  readonly line: number
  readonly text: string
  readonly instead: string
}

/** Banned phrases in a Markdown text; code is not read. */
export function findingsInMarkdown(markdown: string): Finding[] {
  return findings(markdown.replaceAll(/```[\s\S]*?```|`[^`\n]*`|\]\([^)]*\)|<!--[\s\S]*?-->/g, blank))
}

/** Banned phrases in the texts of a source: string literals that are sentences. Comments are not read. */
export function findingsInSource(source: string): Finding[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, blank)
  const kept = [...code.matchAll(/(['"`])((?:\\.|(?!\1)[^\\])*)\1/g)].filter(([, , text = '']) =>
    /[A-Za-z]{2,} [A-Za-z]+ [A-Za-z]/.test(text),
  )
  return kept.flatMap((match) => {
    const before = code.slice(0, match.index).split('\n').length - 1
    return findings(match[0].replaceAll(/\$\{[^}]*\}/g, blank)).map((finding) => ({
      ...finding,
      line: finding.line + before,
    }))
  })
}

function findings(text: string): Finding[] {
  return text.split('\n').flatMap((line, index) =>
    BANNED.filter(({ phrase }) => phrase.test(line)).map(({ instead }) => ({
      line: index + 1,
      text: line.trim(),
      instead,
    })),
  )
}

/** As many lines, without words. */
function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, ' ')
}
