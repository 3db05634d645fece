import type { DatabaseSettings } from './settings.ts'

/** Which database this is, for people: without user and password. */
export function placeOf(database: DatabaseSettings): string {
  if (database.engine === 'sqlite') return `sqlite:${database.path}`
  const { protocol, host, pathname, searchParams } = new URL(database.url)
  const elsewhere = searchParams.get('host')
  return elsewhere === null ? `${protocol}//${host}${pathname}` : `${protocol}//${pathname}?host=${elsewhere}`
}
