import { expect, test } from 'bun:test'
import { post } from '../../src/core/ledger.ts'
import { nano } from '../../src/core/money.ts'
import type { TransferKind } from '../../src/core/ports/books.ts'
import { isBilled } from '../../src/core/settlement.ts'
import { ENDINGS } from './endings.ts'
import { differences, readPage } from './page.ts'

const PAGE = readPage('docs/billing.md')

test('docs/billing.md says of every ending what the code does, and of no other', () => {
  const facts = ENDINGS.map((ending) => ({
    key: [`\`${ending}\``],
    cells: [undefined, `**${isBilled(ending) ? 'usage' : 'nothing'}**`],
  }))
  expect(differences(PAGE, 'Every ending has one price', facts)).toEqual([])
})

const KINDS: Readonly<Record<TransferKind, true>> = {
  topup: true,
  refund: true,
  adjust: true,
  hold: true,
  extend: true,
  release: true,
  charge: true,
  writeoff: true,
}

function sign(difference: bigint): string {
  if (difference === 0n) return ''
  return difference > 0n ? '+' : '−'
}

test('docs/billing.md says what each kind of transfer does to balance and holds', () => {
  const before = { balance: nano(100n), held: nano(50n) }
  const facts = (Object.keys(KINDS) as TransferKind[]).map((kind) => {
    const after = post(before, kind, nano(10n))
    if (typeof after === 'string') throw new Error(`${kind} is ${after}`)
    const cells = [sign(after.balance - before.balance), sign(after.held - before.held), undefined]
    return { key: [`\`${kind}\``], cells }
  })
  expect(differences(PAGE, 'The ledger', facts)).toEqual([])
})
