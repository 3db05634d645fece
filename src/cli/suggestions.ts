import { nearestWord } from '../core/didYouMean.ts'

/** Verbs that people use for one another; a group of commands has at most one of each line that fits. */
const SYNONYMS: readonly (readonly string[])[] = [
  ['list', 'ls'],
  ['show', 'get', 'view', 'info', 'describe', 'inspect'],
  ['create', 'add', 'new', 'make'],
  ['update', 'edit', 'change', 'set', 'modify'],
  ['revoke', 'delete', 'remove', 'rm', 'del', 'disable'],
]

/** The command, or the group of commands, that was probably meant by these words. */
export function commandMeant(words: readonly string[], names: readonly string[]): string | undefined {
  const [first = '', second = ''] = words
  return commandOf(first, second, names) ?? (second === '' ? undefined : commandOf(second, first, names))
}

function commandOf(first: string, second: string, names: readonly string[]): string | undefined {
  const group = wordMeant(first, new Set(names.map((name) => name.split(' ')[0] ?? '')))
  if (group === undefined) return undefined
  const verbs = names
    .filter((name) => name.startsWith(`${group} `))
    .map((name) => name.slice(group.length + 1))
  const verb = verbMeant(second, verbs)
  if (verb !== undefined) return `${group} ${verb}`
  return group === first ? undefined : group
}

/** `keys` is `key`, whatever else is as near. */
function wordMeant(word: string, known: ReadonlySet<string>): string | undefined {
  return (
    [word, word.replace(/s$/, ''), `${word}s`].find((form) => known.has(form)) ?? nearestWord(word, known)
  )
}

function verbMeant(word: string, verbs: readonly string[]): string | undefined {
  if (verbs.includes(word)) return word
  const same = SYNONYMS.find((synonyms) => synonyms.includes(word))
  return verbs.find((verb) => same?.includes(verb)) ?? nearestWord(word, verbs)
}

/** The option that was probably meant: `overlap` is `overlap-seconds`, as long as no other option has this part. */
export function optionMeant(name: string, known: readonly string[]): string | undefined {
  const near = nearestWord(name, known)
  if (near !== undefined) return near
  const [only, ...others] = known.filter((option) => isPartOf(name, option) || isPartOf(option, name))
  return others.length === 0 ? only : undefined
}

function isPartOf(part: string, whole: string): boolean {
  return `-${whole}-`.includes(`-${part}-`)
}
