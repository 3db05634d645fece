import { expect, test } from 'bun:test'
import type { Settlement } from '../core/ports/till.ts'
import { logGivenUp } from './givenUp.ts'
import { createTestLog } from '../../test/support/testLog.ts'

const settlement = {
  id: 'chatcmpl-1',
  workspaceId: 'ws_1',
  keyId: 'key_first',
  cost: 7n,
  record: { keyId: 'key_1', ending: 'client_left' },
} as unknown as Settlement

test('settlements that are given up are named in one line, of many the first, and in none where there are none', () => {
  const { log, lines } = createTestLog()
  logGivenUp(log, [])
  logGivenUp(
    log,
    Array.from({ length: 1_500 }, () => ({ settlement, inDoubt: true, refused: false })),
  )
  expect(lines()).toHaveLength(1)
  const [line] = lines()
  expect(line).toMatchObject({ count: 1_500 })
  const named = line?.['settlements'] as unknown[]
  expect(named).toHaveLength(1_000)
  expect(named[0]).toEqual({
    id: 'chatcmpl-1',
    workspace_id: 'ws_1',
    key_id: 'key_1',
    ending: 'client_left',
    charge_nano_usd: '7',
    in_doubt: true,
  })
})
