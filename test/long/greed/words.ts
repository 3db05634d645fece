import type { SeededRandom } from '../../support/seededRandom.ts'

/** What models say, in words: each tongue has another number of characters for a token. */
export const TONGUES = {
  english: ' The morning ferry crosses the strait in forty minutes, if the wind is kind.'.split(/(?= )/),
  russian: ' Утренний паром пересекает пролив за сорок минут, если ветер добр.'.split(/(?= )/),
  hindi: ' सुबह की नौका चालीस मिनट में जलडमरूमध्य पार करती है।'.split(/(?= )/),
  chinese: '早上的渡轮四十分钟穿过海峡。'.split(/(?<=..)/),
  amharic: ' የጠዋቱ ጀልባ ባህሩን በአርባ ደቂቃ ያቋርጣል።'.split(/(?= )/),
  json: ['{"id":17,"x":"0.231",', '"n":null,"ok":true},', '{"id":18,"x":"0.777",', '"n":[1,2],"ok":false},'],
  letters: ['qzvkx', 'jwpfg', 'xkcdq', 'vbnmz', 'hgqtr', 'wzxcv', 'plmkq'],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** Of what a token is long in one and short in the other. */
export const LANGUAGES = [
  TONGUES.english,
  TONGUES.russian,
  TONGUES.hindi,
  TONGUES.chinese,
  TONGUES.amharic,
  TONGUES.json,
] as const

const PROMPT_WORDS = [TONGUES.english, TONGUES.russian, TONGUES.hindi, TONGUES.chinese, TONGUES.json] as const

/** A text in one tongue. */
export function proseOf(random: SeededRandom, words: number): string {
  const tongue = random.pick<readonly string[]>(PROMPT_WORDS)
  return Array.from({ length: words }, () => tongue[random.integer(0, tongue.length - 1)] ?? '').join('')
}
