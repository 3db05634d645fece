import { knownModel } from '../catalog/known.ts'
import type { ConfigPath } from './problem.ts'
import type { Report } from './report.ts'
import { didYouMean } from './values.ts'
import { isTreeMap, type Tree } from './yamlTree.ts'

/**
 * Names of models must lead to one model each. Works on the file as it stands, so that a model with
 * other mistakes still has its names compared.
 */
export function checkNames(entries: readonly unknown[], report: Report): void {
  const ids = new Map<string, ConfigPath>()
  const aliases = new Map<string, ConfigPath>()
  const models = entries.map((entry) => (typeof entry === 'string' ? { id: entry } : entry))

  models.forEach((entry, index) => {
    const id = isTreeMap(entry) ? entry.id : undefined
    if (typeof id !== 'string') return
    if (ids.has(id))
      report.problem(['models', index, 'id'], `is taken: a model before has the id ${quote(id)}`)
    else ids.set(id, ['models', index])
  })
  models.forEach((entry, index) => {
    for (const [alias, position] of aliasesOf(entry)) {
      const at = ['models', index, 'aliases', position]
      if (ids.has(alias)) report.problem(at, `would hide the model with the id ${quote(alias)}`)
      else if (aliases.has(alias))
        report.problem(at, `is taken: a model before has the alias ${quote(alias)}`)
      else aliases.set(alias, at)
    }
  })
  const names = [...ids.keys(), ...aliases.keys()]
  models.forEach((entry, index) => {
    const retired = isTreeMap(entry) ? entry.retired : undefined
    const successor = isTreeMap(retired) ? retired.successor : undefined
    if (typeof successor !== 'string') return
    const implied = knownModel(successor)
    if (names.includes(successor) || (implied && ids.has(implied.id))) return
    report.problem(
      ['models', index, 'retired', 'successor'],
      `names no model of this file: ${quote(successor)}${didYouMean(successor, names)}`,
    )
  })
}

function aliasesOf(entry: unknown): [alias: string, position: number][] {
  const list: Tree = isTreeMap(entry) ? entry.aliases : undefined
  if (!Array.isArray(list)) return []
  return list.flatMap((alias: Tree, position) => (typeof alias === 'string' ? [[alias, position]] : []))
}

function quote(name: string): string {
  return JSON.stringify(name)
}
