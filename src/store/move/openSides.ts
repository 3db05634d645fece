import { MoveRefused } from '../../core/ports/move.ts'
import { StoreUnavailable } from '../../core/ports/till.ts'
import { unreachable } from '../../core/assert.ts'
import { UnknownSchema } from '../migrations/migrations.ts'
import type { StoreSettings } from '../open.ts'
import { fileIdentity } from '../sqlite/fileIdentity.ts'
import { sameDatabase } from './refusals.ts'
import type { Source, Target } from './side.ts'

/** A database, and how it is named for people: without a password. */
export interface MoveEnd {
  readonly settings: StoreSettings
  readonly place: string
}

/** Opens the database that is moved from; refuses one that is the target, too, and one of another schema. */
export async function openSource({ settings, place }: MoveEnd, to: MoveEnd): Promise<Source> {
  if (place === to.place || isSameFile(settings, to.settings)) throw sameDatabase(place)
  return naming(place, async () => {
    switch (settings.engine) {
      case 'sqlite': {
        const { openSqliteSource } = await import('../sqlite/moveSide.ts')
        return openSqliteSource(settings.path)
      }
      case 'postgres': {
        const { openPostgresSource } = await import('../postgres/moveSide.ts')
        return openPostgresSource(settings.url, place)
      }
      default:
        return unreachable(settings)
    }
  })
}

/** Opens the database that is moved into, with the schema of this version. */
export async function openTarget({ settings, place }: MoveEnd, at: number): Promise<Target> {
  return naming(place, async () => {
    switch (settings.engine) {
      case 'sqlite': {
        const { openSqliteTarget } = await import('../sqlite/moveSide.ts')
        return openSqliteTarget(settings.path, at)
      }
      case 'postgres': {
        const { openPostgresTarget } = await import('../postgres/moveSide.ts')
        return openPostgresTarget(settings.url, place, at)
      }
      default:
        return unreachable(settings)
    }
  })
}

function isSameFile(one: MoveEnd['settings'], other: MoveEnd['settings']): boolean {
  if (one.engine !== 'sqlite' || other.engine !== 'sqlite') return false
  const file = fileIdentity(one.path)
  return file !== undefined && file === fileIdentity(other.path)
}

/** Of two databases, a message says which one it is about. */
async function naming<Side>(place: string, open: () => Promise<Side>): Promise<Side> {
  try {
    return await open()
  } catch (error) {
    if (!(error instanceof StoreUnavailable || error instanceof UnknownSchema)) throw error
    throw new MoveRefused(`${place} cannot be used: ${error.message}`, { cause: error })
  }
}
