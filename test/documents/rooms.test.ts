import { expect, test } from 'bun:test'
import { ROOMS } from '../house/rules.ts'
import { differences, readPage } from './page.ts'

/** Rooms are folders, or a file each. */
function shown(room: string): string {
  return room.endsWith('.ts') ? `\`${room}\`` : `\`${room}/\``
}

function importsOf(allowed: readonly string[] | '*'): string {
  if (allowed === '*') return 'all'
  return allowed.length === 0 ? 'nothing' : allowed.map((room) => room.replace('.ts', '')).join(', ')
}

test('ARCHITECTURE.md has the table of modules that the import rules enforce', () => {
  const facts = Object.entries(ROOMS).map(([room, allowed]) => ({
    key: [shown(room)],
    cells: [undefined, importsOf(allowed)],
  }))
  expect(differences(readPage('ARCHITECTURE.md'), 'The modules of `src/`', facts)).toEqual([])
})
