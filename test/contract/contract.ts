import { afterAll, beforeAll, describe, test } from 'bun:test'
import type { Store } from '../../src/core/ports/store.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { ENGINES, type TestDatabase } from './engines.ts'

/** What a sentence of the contract has at hand: one database for all sentences of a chapter. */
export interface Given {
  /** The store, open. */
  store(): Store
  database(): TestDatabase
}

type Sentence = (name: string, proof: () => Promise<void>) => void

/** A chapter of the contract: the same sentences for every engine. */
export function contract(chapter: string, sentences: (given: Given, it: Sentence) => void): void {
  for (const engine of ENGINES) {
    describe.skipIf(engine.skipped)(`${engine.name}: ${chapter}`, () => {
      let database: TestDatabase | undefined
      let store: Store | undefined

      beforeAll(async () => {
        database = await engine.create()
        store = await database.open()
      }, TEST_LIMIT_MS)
      afterAll(async () => {
        await store?.close()
        await database?.remove()
      }, TEST_LIMIT_MS)

      const given = { store: () => started(store), database: () => started(database) }
      sentences(given, (name, proof) => test(name, proof, TEST_LIMIT_MS))
    })
  }
}

function started<Thing>(thing: Thing | undefined): Thing {
  if (thing === undefined) throw new Error('the database has not started')
  return thing
}
