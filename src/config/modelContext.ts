import type { KnownModel } from '../catalog/knownModel.ts'
import type { ConfiguredProvider } from '../providers/configured.ts'
import type { ConfigPath } from './problem.ts'
import type { Report } from './report.ts'
import type { ModelEntry } from './schema.ts'

/** What a model of the file is resolved against. */
export interface ModelSurroundings {
  /** Undefined for a provider that is in the file but has mistakes of its own. */
  readonly providers: ReadonlyMap<string, ConfiguredProvider | undefined>
  /** The models of the file as they are written there. */
  readonly entries: readonly unknown[]
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly report: Report
}

/** One model of the file while it is resolved. */
export interface ModelContext extends ModelSurroundings {
  readonly entry: ModelEntry
  readonly path: ConfigPath
  /** What the catalogue knows under the model's id. */
  readonly known: KnownModel | undefined
  /** Retired already: kept for its name only, it needs neither price nor place. */
  readonly gone: boolean
}
