import { KNOWN_MODELS } from '../catalog/known.ts'
import { nearestWord } from '../core/didYouMean.ts'
import type { Target } from '../core/model.ts'
import type { ModelContext } from './modelContext.ts'
import { formatPath, type ConfigPath } from './problem.ts'
import { quotedName } from './values.ts'
import { isTreeMap, type TreeMap } from './yamlTree.ts'

/** A name in the file that is nearly that of a known model. */
export interface Misspelt {
  readonly path: ConfigPath
  /** Completes the sentence "is not …". */
  readonly mistake: string
  /** Where else the file has the same name. */
  readonly also: readonly string[]
}

/** The name at the model's first target, where the file states one, or else the id. */
export function misspeltOf(context: ModelContext, target: Target | undefined): Misspelt | undefined {
  const stated = context.entry.targets === undefined ? undefined : target
  return (stated && misspeltTarget(stated, context)) ?? misspeltId(context)
}

function misspeltTarget(target: Target, { path, providers, entries }: ModelContext): Misspelt | undefined {
  const { provider, upstreamModel: name } = target
  const row = providers.get(provider)?.provider.id ?? provider
  const models = KNOWN_MODELS.filter((known) => known.provider === row)
  const near = nearestWord(
    name,
    models.map((known) => known.upstreamModel),
  )
  if (near === undefined) return undefined
  const at = [...path, 'targets', 0, 'model']
  const mistake = `a known model of ${quotedName(provider)}: ${quotedName(name)} (did you mean "${near}"?)`
  return {
    path: at,
    mistake,
    also: placesOf(entries, sameTarget).filter((place) => place !== formatPath(at)),
  }

  function sameTarget(model: TreeMap): ConfigPath[] {
    const targets: readonly unknown[] = Array.isArray(model.targets) ? model.targets : []
    return targets.flatMap((other, index): ConfigPath[] =>
      isTreeMap(other) && other.provider === provider && other.model === name
        ? [['targets', index, 'model']]
        : [],
    )
  }
}

function misspeltId({ entry: { id }, path, entries }: ModelContext): Misspelt | undefined {
  const names = KNOWN_MODELS.flatMap((known) => [known.id, ...known.aliases])
  const near = nearestWord(id, names)
  if (near === undefined) return undefined
  const mistake = `a known model: ${quotedName(id)} (did you mean "${near}"?)`
  return { path: [...path, 'id'], mistake, also: placesOf(entries, sameSuccessor) }

  function sameSuccessor({ retired }: TreeMap): ConfigPath[] {
    return isTreeMap(retired) && retired.successor === id ? [['retired', 'successor']] : []
  }
}

/** Places in the models of the file. */
function placesOf(entries: readonly unknown[], find: (model: TreeMap) => readonly ConfigPath[]): string[] {
  return entries.flatMap((model, index) =>
    isTreeMap(model) ? find(model).map((place) => formatPath(['models', index, ...place])) : [],
  )
}
