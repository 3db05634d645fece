import { expect, test } from 'bun:test'
import { StoreUnavailable } from '../core/ports/till.ts'
import { createErrorLog } from './errorLog.ts'
import { createFaults } from './faults.ts'
import { createTestLog } from '../../test/support/testLog.ts'

const AWAY = new StoreUnavailable('SQLite: gone')
const BEGINS = 'the database cannot be used; calls are refused'
const REFUSED = 'calls were refused: the database did not respond'
const OVER = 'the database can be used again'

test('a database that is away is logged once when it begins and once when it is over, by calls and jobs alike', () => {
  const { log, sentences } = createTestLog()
  let later: (() => void) | undefined
  const faults = createFaults({
    log,
    after(_ms, work) {
      later = work
      return () => (later = undefined)
    },
    errors: createErrorLog({ log, secrets: () => [], prompts: () => false }),
  })
  function meet(): void {
    faults.error(AWAY, 'chatcmpl-1')
    faults.job('sweep holds', AWAY)
    faults.job('renew leases', AWAY)
  }
  faults.store(AWAY)
  meet()
  meet()
  faults.error(new TypeError('a bug'))
  faults.job('sweep holds', new TypeError('a bug'))
  faults.store(undefined)
  expect(sentences()).toEqual([BEGINS, 'internal error', 'job failed', OVER])
  // An engine that does not say when it is away is known by its errors alone.
  meet()
  expect(sentences().slice(4)).toEqual(['job failed', 'job failed'])
  // Nor does each of a thousand callers write a line when some queries fail and others pass.
  meet()
  later?.()
  expect(sentences().filter((sentence) => sentence === REFUSED)).toHaveLength(1)
  // One that turns out to be away has its own line.
  meet()
  faults.store(AWAY)
  later?.()
  expect(sentences().filter((sentence) => sentence === REFUSED)).toHaveLength(1)
})
