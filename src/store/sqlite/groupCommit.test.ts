import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StoreUnavailable } from '../../core/ports/till.ts'
import { blockBriefly, openConnection, patiently } from './connection.ts'
import { GATHER_MAX_MS, GROUP_MAX, createGroupCommit } from './groupCommit.ts'
import { createStatements } from './statements.ts'
import { rejectionOf } from '../../../test/support/rejection.ts'

let folder = ''
let db: Database
let commits = 0
let faults = 0

function open(gatherMaxMs = GATHER_MAX_MS) {
  const statements = createStatements(db)
  const insert = statements.prepare('insert into things (name) values (?)')
  const group = createGroupCommit({
    db,
    statements,
    begin: () => {},
    end: () => {},
    onCommit: () => void commits++,
    onFault: () => void faults++,
    refusal: () => undefined,
    gatherMaxMs,
  })
  const add = (name: string) => group.submit(() => void insert.run(name))
  const names = () =>
    db
      .query<{ name: string }, []>('select name from things order by name')
      .all()
      .map(({ name }) => name)
  return { group, add, names }
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-group-'))
  db = openConnection(join(folder, 'group.db'), 'default')
  db.run('create table things (name text not null unique)')
  blockBriefly(db)
  commits = 0
  faults = 0
})
afterEach(() => {
  db.close()
  rmSync(folder, { recursive: true })
})

describe('group commit', () => {
  test('calls of one turn of the event loop share a transaction, up to the bound', async () => {
    const { add, names } = open()
    await Promise.all(Array.from({ length: 100 }, (_, i) => add(`a${i}`)))
    expect(commits).toBe(1)
    await Promise.all(Array.from({ length: 2 * GROUP_MAX + 1 }, (_, i) => add(`b${i}`)))
    expect(commits).toBe(4)
    expect(names().length).toBe(100 + 2 * GROUP_MAX + 1)
  })

  /** Runs each step in a turn of its own, before what already waits for the end of that turn. */
  function inTurns([step, ...later]: readonly (() => void)[]): void {
    if (later.length > 0) setImmediate(() => inTurns(later))
    step?.()
  }

  test('calls of the turns right after it share the transaction too, while each turn brings one', async () => {
    const { add, names } = open(60_000)
    const added: Promise<void>[] = []
    const { promise: all, resolve } = Promise.withResolvers<void>()
    inTurns([...['a', 'b', 'c'].map((name) => () => void added.push(add(name))), resolve])
    await all
    await Promise.all(added)
    expect(names()).toEqual(['a', 'b', 'c'])
    expect(commits).toBe(1)
  })

  test('what comes when the wait is over goes into the next transaction', async () => {
    const { add, names } = open()
    const added: Promise<void>[] = []
    const { promise: all, resolve } = Promise.withResolvers<void>()
    const slow = (): void => {
      Bun.sleepSync(2 * GATHER_MAX_MS)
      added.push(add('b'))
    }
    inTurns([() => void added.push(add('a')), slow, () => void added.push(add('c')), resolve])
    await all
    await Promise.all(added)
    expect(names()).toEqual(['a', 'b', 'c'])
    expect(commits).toBe(2)
  })

  test('a lone call waits for its own turn alone', async () => {
    const { add } = open()
    const added = add('a')
    let turns = 0
    const count = (): void => {
      turns++
      if (commits === 0) setImmediate(count)
    }
    setImmediate(count)
    await added
    expect(turns).toBeLessThanOrEqual(1)
  })

  test('a call that fails leaves nothing behind and does not sink its group', async () => {
    const { add, group, names } = open()
    const fails = group.submit(() => {
      db.run("insert into things (name) values ('half')")
      throw new Error('a bug')
    })
    const results = await Promise.allSettled([add('a'), fails, add('a'), add('b')])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
    expect(names()).toEqual(['a', 'b'])
  })

  test("another process's lock is waited for while the event loop goes on", async () => {
    const { add, names } = open()
    const other = new Database(join(folder, 'group.db'))
    other.run('begin immediate')
    const added = add('a')
    let turns = 0
    while (turns < 20) {
      await Bun.sleep(1)
      turns++
    }
    expect(names()).toEqual([])
    other.run('commit')
    await added
    expect(names()).toEqual(['a'])
    other.close()
  })

  test('a lock that is never released is StoreUnavailable in the end', async () => {
    const other = new Database(join(folder, 'group.db'))
    other.run('begin immediate')
    const write = patiently(() => db.run('begin immediate'), 30)
    expect(await rejectionOf(write)).toBeInstanceOf(StoreUnavailable)
    other.run('rollback')
    other.close()
  })

  test('a full disk is StoreUnavailable for the whole group, and nothing of it has happened', async () => {
    const { add, names } = open()
    await add('before')
    const pages = db.query<{ page_count: bigint }, []>('pragma page_count').get()
    db.run(`pragma max_page_count = ${pages?.page_count}`)
    const results = await Promise.allSettled([add('small'), add('x'.repeat(100_000)), add('small too')])
    for (const result of results) {
      expect(result.status === 'rejected' && result.reason).toBeInstanceOf(StoreUnavailable)
    }
    expect(names()).toEqual(['before'])
    expect(faults).toBe(1)
    db.run('pragma max_page_count = 100000')
    await add('after')
    expect(names()).toEqual(['after', 'before'])
  })

  test('a database that may only be read is StoreUnavailable, and is written again when it may be', async () => {
    const { add, names } = open()
    db.run('pragma query_only = on')
    expect(await rejectionOf(add('a'))).toBeInstanceOf(StoreUnavailable)
    db.run('pragma query_only = off')
    await add('b')
    expect(names()).toEqual(['b'])
  })

  test('a transaction that a fault left open is rolled back before the next', async () => {
    const { add, names } = open()
    db.run('begin')
    db.run("insert into things (name) values ('left behind')")
    await add('a')
    expect(names()).toEqual(['a'])
  })

  test('who waits behind a group that found the database away does not wait as long again', async () => {
    const { add, names } = open()
    const pages = db.query<{ page_count: bigint }, []>('pragma page_count').get()
    db.run(`pragma max_page_count = ${pages?.page_count}`)
    const added = [add('x'.repeat(100_000)), ...Array.from({ length: 2 * GROUP_MAX }, (_, i) => add(`${i}`))]
    for (const result of await Promise.allSettled(added)) {
      expect(result.status === 'rejected' && result.reason).toBeInstanceOf(StoreUnavailable)
    }
    expect(names()).toEqual([])
    await add('later')
    expect(names()).toEqual(['later'])
  })

  test('closing commits what waits and refuses what comes later', async () => {
    const { add, group, names } = open()
    const added = add('a')
    await group.close()
    await added
    expect(names()).toEqual(['a'])
    expect(await rejectionOf(add('b'))).toBeInstanceOf(StoreUnavailable)
  })
})
