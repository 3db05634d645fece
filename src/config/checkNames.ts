import { knownModel } from '../catalog/known.ts'
import { didYouMean } from '../core/didYouMean.ts'
import type { Report } from './report.ts'
import { quotedName } from './values.ts'
import { isTreeMap, type Tree } from './yamlTree.ts'

/**
 * Names of models must lead to one model each. Works on the file as it stands, so that a model with
 * other mistakes still has its names compared. Returns every name that the file gives, with its model's id.
 */
export function checkNames(entries: readonly unknown[], report: Report): ReadonlyMap<string, string> {
  const given = new Map<string, string>()
  const models = entries.map((entry) => (typeof entry === 'string' ? { id: entry } : entry))
  const ids = models.map((entry) => (isTreeMap(entry) && typeof entry.id === 'string' ? entry.id : undefined))

  ids.forEach((id, index) => {
    if (id === undefined) return
    if (given.has(id))
      report.problem(['models', index, 'id'], `is taken: a model before has the id ${quotedName(id)}`)
    given.set(id, id)
  })
  models.forEach((entry, index) => {
    for (const [alias, position] of aliasesOf(entry)) {
      const path = ['models', index, 'aliases', position]
      if (ids.includes(alias)) report.problem(path, `hides the model with the id ${quotedName(alias)}`)
      else if (given.has(alias))
        report.problem(path, `is taken: a model before has the alias ${quotedName(alias)}`)
      else given.set(alias, ids[index] ?? '')
    }
  })
  models.forEach((entry, index) => {
    const retired = isTreeMap(entry) ? entry.retired : undefined
    const successor = isTreeMap(retired) ? retired.successor : undefined
    if (typeof successor !== 'string' || given.has(successor) || given.has(knownModel(successor)?.id ?? ''))
      return
    report.problem(
      ['models', index, 'retired', 'successor'],
      `is not a model of this file: ${quotedName(successor)}${didYouMean(successor, given.keys())}`,
    )
  })
  return given
}

function aliasesOf(entry: unknown): [alias: string, position: number][] {
  const list: Tree = isTreeMap(entry) ? entry.aliases : undefined
  if (!Array.isArray(list)) return []
  return list.flatMap((alias: Tree, position) => (typeof alias === 'string' ? [[alias, position]] : []))
}
