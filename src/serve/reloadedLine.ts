/** More ids than this make a line that nobody reads. */
const IDS_MAX = 10

export interface ReloadedLine {
  readonly level: 'info' | 'warn'
  readonly fields: {
    readonly models: number
    readonly models_before: number
    readonly models_gone?: string[]
  }
  readonly sentence: string
}

type Listed = readonly { readonly id: string }[]

/** What the log says of a reload. Models that are gone are a warning: their callers get 404 from now on. */
export function reloadedLine(before: Listed, after: Listed): ReloadedLine {
  const left = new Set(after.map(({ id }) => id))
  const gone = before.map(({ id }) => id).filter((id) => !left.has(id))
  const counts = { models: after.length, models_before: before.length }
  const sentence = 'the configuration was reloaded'
  if (gone.length === 0) return { level: 'info', fields: counts, sentence }
  return {
    level: 'warn',
    fields: { ...counts, models_gone: gone.slice(0, IDS_MAX) },
    sentence: `${sentence}; ${gone.length} of ${before.length} models ${gone.length === 1 ? 'is' : 'are'} gone`,
  }
}
