import type { Model } from '../core/model.ts'
import type { ConfiguredProvider } from '../providers/configured.ts'
import { catalogModels } from './catalogModels.ts'
import { checkNames } from './checkNames.ts'
import { checkTargets } from './checkTargets.ts'
import { read } from './read.ts'
import type { Report } from './report.ts'
import { resolveModel } from './resolveModel.ts'
import { modelSchema } from './schema.ts'

/** Instead of a list: every known model of the providers. */
const ALL = 'all'

/** The models of the file. A file that lost them, to a cut or an empty template, must not go into force: that is a mistake. */
export function readModels(
  value: unknown,
  providers: ReadonlyMap<string, ConfiguredProvider | undefined>,
  now: number,
  report: Report,
): Model[] {
  if (value === undefined) {
    report.problem(
      ['models'],
      'is missing: list the models to serve, such as `models: [openai/gpt-5-mini]`, or write `models: all` for every known model of the providers',
    )
    return []
  }
  if (value === ALL) {
    const all = catalogModels(providers, now)
    // What is wrong with the providers is named already.
    if (all.length === 0 && report.problems.length === 0)
      report.problem(['models'], 'serves nothing: these providers have no known models')
    return all
  }
  if (!Array.isArray(value)) {
    report.problem(['models'], 'must be a list, or `all` for every known model of the providers')
    return []
  }
  if (value.length === 0) report.problem(['models'], 'is empty: list the models to serve')
  const models: Model[] = []
  const entries: readonly unknown[] = value
  entries.forEach((item, index) => {
    const path = ['models', index]
    // A bare id is enough for a known model.
    const entry = read(modelSchema, typeof item === 'string' ? { id: item } : item, path, report)
    const model = entry && resolveModel(entry, path, { providers, entries, now, report })
    if (model) models.push(model)
  })
  checkTargets(entries, { providers, report })
  const given = checkNames(entries, report)
  return models.map((model) => withoutTaken(model, given))
}

/** A known model brings its aliases along, but for those that the file gives to another model. */
function withoutTaken(model: Model, given: ReadonlyMap<string, string>): Model {
  const free = model.aliases.filter((alias) => (given.get(alias) ?? model.id) === model.id)
  return free.length === model.aliases.length ? model : { ...model, aliases: free }
}
