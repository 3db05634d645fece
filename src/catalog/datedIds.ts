/** How a provider writes the date of a snapshot behind the name of its model. */
export type DateForm = '-YYYY-MM-DD' | '-YYYYMMDD'

/** The name of a snapshot, taken apart. */
export interface DatedName {
  /** The name without the date. */
  readonly base: string
  /** The name as the provider writes it. */
  readonly name: string
  /** `YYYY-MM-DD` */
  readonly date: string
}

const FORMS: Readonly<Record<DateForm, RegExp>> = {
  '-YYYY-MM-DD': /^(?<base>.+)-(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)$/,
  // Google writes the date of Anthropic's models behind an `@`.
  '-YYYYMMDD': /^(?<base>.+)[-@](?<year>\d{4})(?<month>\d\d)(?<day>\d\d)$/,
}

/** Undefined where the name does not end in a day in that form. */
export function readDatedName(name: string, form: DateForm): DatedName | undefined {
  const { base = '', year = '', month = '', day = '' } = FORMS[form].exec(name)?.groups ?? {}
  const date = `${year}-${month}-${day}`
  if (base === '' || !isDay(date)) return undefined
  return { base, date, name: form === '-YYYYMMDD' ? `${base}-${year}${month}${day}` : name }
}

/** The 30th of February is none: it is read as a day in March. */
function isDay(date: string): boolean {
  const at = Date.parse(date)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(date)
}
