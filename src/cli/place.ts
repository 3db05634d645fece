import type { DatabaseSettings } from '../config/settings.ts'

/** Which database this is, for people: without user and password. */
export function placeOf(database: DatabaseSettings): string {
  if (database.engine === 'sqlite') return `sqlite:${database.path}`
  const { protocol, host, pathname } = new URL(database.url)
  return `${protocol}//${host}${pathname}`
}
