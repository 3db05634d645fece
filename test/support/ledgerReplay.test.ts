import { expect, test } from 'bun:test'
import type { RequestId } from '../../src/core/id.ts'
import { nano } from '../../src/core/money.ts'
import type { Transfer, TransferKind } from '../../src/core/ports/books.ts'
import { type Ledger, replay, step } from './ledgerReplay.ts'

const CALL = 'chatcmpl-1' as RequestId

type Line = Pick<Transfer, 'kind' | 'amount' | 'requestId'>

function line(kind: TransferKind, amount: bigint, requestId: string | null = CALL): Line {
  return { kind, amount: nano(amount), requestId: requestId as RequestId | null }
}

test.each([
  ['a second hold of one call', [line('hold', 1n), line('hold', 1n)], 'already_held'],
  ['an extension of nothing', [line('extend', 1n)], 'not_held'],
  ['a release of nothing', [line('hold', 2n), line('release', 1n, 'chatcmpl-2')], 'not_held'],
  ['a release of a part', [line('hold', 2n), line('release', 1n)], 'not_the_whole_hold'],
  ['a hold of nobody', [line('hold', 1n, null)], 'not_held'],
  ['a charge of held money', [line('hold', 9n), line('charge', 2n)], 'insufficient'],
] as const)('%s is refused', (_name, lines, refusal) => {
  let ledger: Ledger | string = replay([line('topup', 10n, null)])
  for (const each of lines) {
    if (typeof ledger === 'string') throw new Error(ledger)
    ledger = step(ledger, each)
  }
  expect(ledger).toBe(refusal)
})

test('a replay that meets an impossible transfer throws', () => {
  expect(() => replay([line('charge', 1n)])).toThrow('cannot follow')
})
