import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Under which name a restore of this moment keeps the database that was there: of two in one second, both. */
export function nameBefore(database: string, at: number): string {
  const name = `${database}.before-restore-${compactUtc(at)}`
  let unused = name
  for (let count = 2; existsSync(unused); count++) unused = `${name}-${count}`
  return unused
}

/** A database that a restore has put aside. */
export interface KeptBefore {
  readonly file: string
  /** As `compactUtc` writes it: when the restore was. */
  readonly time: string
}

/** What restores have put aside beside this database, the newest first. */
export function keptBefore(database: string): readonly KeptBefore[] {
  const prefix = `${basename(database)}.before-restore-`
  const folder = dirname(database)
  if (!existsSync(folder)) return []
  const kept = readdirSync(folder).flatMap((name) => {
    const time = name.startsWith(prefix) ? TIME.exec(name.slice(prefix.length))?.[1] : undefined
    return time === undefined ? [] : [{ file: join(folder, name), time }]
  })
  return kept.toSorted((a, b) => b.time.localeCompare(a.time))
}

const TIME = /^(\d{8}T\d{6}Z)(?:-\d+)?$/

/** `20261121T102203Z`: sorts by time and needs no quoting anywhere. */
export function compactUtc(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '')
}
